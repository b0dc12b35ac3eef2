#include "timer.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "board.h"
#include "interrupts.h"

#define ALARM_BLOCK 0u /* of Timer_B, with an interrupt of its own; radio_port.c captures with block 1 */
#define TURN_US 65536u
#define COARSE_US(ticks) ((uint32_t)(ticks) * 15625u >> 3) /* a tick of ACLK / 8 is 1953.125 us */
#define FEW_TICKS 30u                                      /* of ACLK / 8, less than a turn of TBR */

/* When timer_now was asked last: the time is turns, and TBR within the turn. */
static uint16_t turns, fine_then, coarse_then;

/* TBR counts microseconds, those of the DCO as clock.c set it; TAR counts the watch crystal's 512 Hz. */
void timer_init(void)
{
    TACTL = TCTL_SSEL_ACLK | TCTL_ID_8 | TCTL_MC_CONTINUOUS | TCTL_CLR;
    TBCTL = TCTL_SSEL_SMCLK | TCTL_ID_4 | TCTL_MC_CONTINUOUS | TCTL_CLR;
}

/** TAR runs on another clock than the processor: read until two readings agree (SLAU049F 11.2.1.1). */
static uint16_t coarse_ticks(void)
{
    uint16_t ticks = TAR;

    for (;;) {
        uint16_t again = TAR;

        if (again == ticks) {
            return ticks;
        }
        ticks = again;
    }
}

/** Complete turns of TBR between two askings, one that `passed` has begun not counted. A function of its own, seldom called. */
__attribute__((noinline)) static uint16_t whole_turns(uint16_t ticks, uint16_t passed)
{
    return (uint16_t)((COARSE_US(ticks) - passed + TURN_US / 2u) / TURN_US);
}

/*
 * TBR shows how much time has passed modulo its turn of 65.5 ms, TAR about how much: the number of turns follows, so that no
 * interrupt has to count them. TAR turns after 128 s: unread for longer than that, it loses multiples of it. Unread
 * for longer than about 6 s, the DCO's error, 0.5 % at most, may add or drop a turn.
 */
uint32_t timer_now(void)
{
    irq_state state = irq_lock();
    uint16_t fine = TBR, coarse = coarse_ticks();
    uint16_t ticks = coarse - coarse_then;
    uint32_t result;

    if (ticks >= FEW_TICKS) {
        turns += whole_turns(ticks, fine - fine_then);
    }
    turns += fine < fine_then;
    fine_then = fine;
    coarse_then = coarse;
    result = (uint32_t)turns << 16 | fine;
    irq_unlock(state);
    return result;
}

/*
 * The compare matches every 65.5 ms, so for a later deadline the interrupt comes early, a few times. TBR is the lower half of
 * timer_now().
 */
void timer_arm(uint32_t deadline_us)
{
    TBCCR(ALARM_BLOCK) = (uint16_t)deadline_us;
    TBCCTL(ALARM_BLOCK) = CCTL_CCIE;
    if (timer_reached(timer_now(), deadline_us)) {
        TBCCTL(ALARM_BLOCK) = CCTL_CCIE | CCTL_CCIFG; /* as a match would */
    }
}

void timer_disarm(void)
{
    TBCCTL(ALARM_BLOCK) = 0;
}

void timer_spin(uint32_t microseconds)
{
    uint32_t start = timer_now();

    while (timer_now() - start <= microseconds) {
    }
}

/* Taking the interrupt took the flag back (SLAU049F 12.2.6). */
void timer_b0_handler(void)
{
    GPIORIG_ENTER(ISR_TIMER);
    alarm_interrupt();
    GPIORIG_EXIT(ISR_TIMER);
}
