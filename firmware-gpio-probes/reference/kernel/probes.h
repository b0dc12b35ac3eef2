/** The probe library, as this firmware starts it. */
#ifndef PROBES_H
#define PROBES_H

/** Sets up the lines and enables all events but those of kernels, queues, timers and slots, which are many. */
void probes_init(void);

#endif
