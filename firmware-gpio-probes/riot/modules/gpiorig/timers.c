/** Software timers: set, and the callbacks of those that are due, in the interrupt. */
#include "gpiorig_riot.h"

#ifdef MODULE_ZTIMER

#include "ztimer.h"

uint32_t __real_ztimer_set(ztimer_clock_t *clock, ztimer_t *timer, uint32_t value);
uint32_t __wrap_ztimer_set(ztimer_clock_t *clock, ztimer_t *timer, uint32_t value);
void __real_ztimer_handler(ztimer_clock_t *clock);
void __wrap_ztimer_handler(ztimer_clock_t *clock);

#if GPIORIG_LOG
static bool runs; /* since the first timer was set; before that a clock may not have been set up */

uint32_t gpiorig_now(void)
{
    return runs ? ztimer_now(ZTIMER_USEC) : 0;
}
#endif

uint32_t __wrap_ztimer_set(ztimer_clock_t *clock, ztimer_t *timer, uint32_t value)
{
#if GPIORIG_LOG
    runs = true;
#endif
    GPIORIG_EVENT(TIMER_SET);
    return __real_ztimer_set(clock, timer, value);
}

void __wrap_ztimer_handler(ztimer_clock_t *clock)
{
    GPIORIG_ENTER(TIMER_FIRE);
    __real_ztimer_handler(clock);
    GPIORIG_EXIT(TIMER_FIRE);
}

#endif
