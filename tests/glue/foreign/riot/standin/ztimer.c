/** One timer (RIOT: sys/ztimer/core.c). */
#include "ztimer.h"

#include "standin.h"

struct ztimer_clock {
    ztimer_t *timer;
};

static ztimer_clock_t clock_usec;
ztimer_clock_t *const ZTIMER_USEC = &clock_usec;

uint32_t ztimer_set(ztimer_clock_t *clock, ztimer_t *timer, uint32_t val)
{
    clock->timer = timer;
    timer_in(val);
    return 0;
}

void ztimer_handler(ztimer_clock_t *clock)
{
    clock->timer->callback(clock->timer->arg);
}
