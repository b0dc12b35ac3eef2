/** The processor's part of the stand-in: the interrupts' callers, a clock that ticks once each time there is nothing to do. */
#include "arch.h"

#include "contiki.h"
#include "sys/platform.h"
#include "sys/rtimer.h"

#if MAC_CONF_WITH_TSCH
#define TICKS_PER_RTIMER 1u /* a slot a tick */
#else
#define TICKS_PER_RTIMER 64u
#endif

static clock_time_t ticks;

int STAND_IN_RADIO_ISR(void);

void arch_radio_interrupt(void)
{
    STAND_IN_RADIO_ISR();
}

void platform_init_stage_one(void)
{
    board_init();
}

void platform_idle(void)
{
    for (volatile unsigned wait = 0; wait < 200; wait++) {
    }
    ticks++;
    if (ticks % TICKS_PER_RTIMER == 0) {
        rtimer_run_next();
    }
    board_idle();
}

clock_time_t clock_time(void)
{
    return ticks;
}

rtimer_clock_t rtimer_arch_now(void)
{
    return (rtimer_clock_t)(ticks * (RTIMER_SECOND / CLOCK_SECOND));
}
