/** The lines of the CC2420 that the processor looks at, besides those of radio_port.h, whose interrupt line is FIFOP. */
#ifndef CC2420_PORT_H
#define CC2420_PORT_H

#include <stdbool.h>

bool cc2420_port_fifo(void);
bool cc2420_port_sfd(void);

/** From now on, or no longer: the next fall of SFD posts WORK_RADIO. */
void cc2420_port_watch_sfd(bool watch);

/** True when it has come. */
bool cc2420_port_sfd_fell(void);

#endif
