/** The probe library, as this firmware starts it. */
#ifndef PROBES_H
#define PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "gpiorig/options.h"

/** Sets up the lines and enables all events but those of kernels, queues, timers and slots, which are many. */
void probes_init(void);

/** A `rig.heartbeat` every N microseconds from now on; 0: none. Only while nothing is under way. */
void probes_set_heartbeat(uint32_t period_us);

#if GPIORIG_LOG
/** Whether the log is sent while the processor has nothing else to do. */
void probes_send_log_when_idle(bool on);

/** Sends all of the log there is. Waits for the serial line: only while nothing is under way. */
void probes_send_log(void);
#endif

#endif
