/** What the glue uses of Contiki-NG 5.0's os/dev/serial-line.h. Declarations only, written for these tests. */
#ifndef DEV_SERIAL_LINE_H
#define DEV_SERIAL_LINE_H

#include "contiki.h"

extern process_event_t serial_line_event_message;
int serial_line_input_byte(unsigned char octet);
void serial_line_init(void);

#endif
