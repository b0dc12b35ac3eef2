/**
 * The lines of the CC2420 that the processor looks at, next to those of radio_port.h. Its interrupt line is FIFOP; the time
 * given with an interrupt is that of the last rise of SFD, captured by a timer.
 */
#ifndef CC2420_PORT_H
#define CC2420_PORT_H

#include <stdbool.h>

bool cc2420_port_fifo(void);
bool cc2420_port_sfd(void);

/** From now on, or no longer: the next fall of SFD asks for service. Meanwhile its rise is not captured. From any context. */
void cc2420_port_watch_sfd(bool watch);

/** True when it has come. */
bool cc2420_port_sfd_fell(void);

#endif
