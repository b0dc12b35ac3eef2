/** A free-running 32-bit microsecond counter and alarms. No periodic interrupt: an idle node sleeps for good. */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>
#include <stdint.h>

enum alarm {
    ALARM_SEND = 1,    /* posts WORK_SEND */
    ALARM_TIMEOUT = 2, /* posts WORK_TIMEOUT */
    ALARM_RADIO = 3,   /* posts WORK_RADIO; only for a radio that leaves CSMA to the processor, and on its boards */
};

void timer_init(void);

/** Microseconds since reset; wraps after 71 minutes. A board may say how long it must not go unasked. */
uint32_t timer_now(void);

/** True once `now` has reached `deadline`, both modulo 2^32 and less than 2^31 apart. */
static inline bool timer_reached(uint32_t now, uint32_t deadline)
{
    return (int32_t)(now - deadline) >= 0;
}

/** Arms an alarm at an absolute time; one in the past is due at once. */
void timer_set_alarm(enum alarm alarm, uint32_t deadline);

void timer_cancel_alarm(enum alarm alarm);

/** Waits busily; only for the few microseconds a chip asks for. */
void timer_spin(uint32_t microseconds);

#endif
