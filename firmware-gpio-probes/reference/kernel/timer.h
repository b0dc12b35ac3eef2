/** A free-running 32-bit microsecond counter and one compare, the board's; alarm.h has any number of them. */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>
#include <stdint.h>

void timer_init(void);

/** Microseconds since reset; wraps after 71 minutes. A board may limit how long it must not go unasked. */
uint32_t timer_now(void);

/** True once `now` has reached `deadline`, both modulo 2^32 and less than 2^31 apart. */
static inline bool timer_reached(uint32_t now, uint32_t deadline)
{
    return (int32_t)(now - deadline) >= 0;
}

/**
 * Makes the timer's interrupt call alarm_interrupt at this time, at once when it is past; it may do so earlier too. Interrupts
 * are masked.
 */
void timer_arm(uint32_t deadline_us);

void timer_disarm(void);

/** Waits busily; only for the few microseconds a chip asks for. */
void timer_spin(uint32_t microseconds);

#endif
