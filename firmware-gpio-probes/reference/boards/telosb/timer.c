#include "timer.h"

#include "gpiorig/probe.h"

#include "board.h"
#include "interrupts.h"
#include "work.h"

#define FIRST ALARM_SEND
#define LAST ALARM_RADIO
#define SOONEST_US 60u /* more than it takes to program a compare, which is less than 200 cycles */
#define SFD_BLOCK 1u   /* of Timer_B; radio_port.c captures with it */
#define BLOCK(alarm) ((alarm) + 1u)
#define TURN_US 65536u
#define COARSE_US(ticks) ((uint32_t)(ticks) * 15625u >> 3) /* a tick of ACLK / 8 is 1953.125 us */
#define FEW_TICKS 30u                                      /* of ACLK / 8, less than a turn of TBR */

static uint32_t deadlines[LAST + 1];
static const uint16_t work[LAST + 1] = {
    [ALARM_SEND] = WORK_SEND, [ALARM_TIMEOUT] = WORK_TIMEOUT, [ALARM_RADIO] = WORK_RADIO
};

static uint32_t now;
static uint16_t fine_then, coarse_then;

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

/*
 * TBR says how much time has passed modulo its turn of 65.5 ms, TAR about how much: the number of turns follows, so that no
 * interrupt has to count them. TAR turns after 128 s: when nobody asks for longer than that, multiples of it are lost. When
 * nobody asks for longer than about 6 s, the DCO's error, 0.5 % at most, may add or drop a turn.
 */
uint32_t timer_now(void)
{
    irq_state state = irq_lock();
    uint16_t fine = TBR, coarse = coarse_ticks();
    uint16_t passed = fine - fine_then, ticks = coarse - coarse_then;
    uint32_t result;

    now += passed;
    if (ticks >= FEW_TICKS) {
        uint32_t turns = (COARSE_US(ticks) - passed + TURN_US / 2u) / TURN_US;

        now += turns * TURN_US;
    }
    fine_then = fine;
    coarse_then = coarse;
    result = now;
    irq_unlock(state);
    return result;
}

/* The compare matches every 65.5 ms; the handler lets matches pass that come before the deadline. */
void timer_set_alarm(enum alarm alarm, uint32_t deadline)
{
    irq_state state = irq_lock();
    uint32_t time = timer_now();
    uint32_t soonest = time + SOONEST_US;

    if (timer_reached(soonest, deadline)) {
        deadline = soonest;
    }
    deadlines[alarm] = deadline;
    TBCCR(BLOCK(alarm)) = (uint16_t)(fine_then + (uint16_t)(deadline - time));
    TBCCTL(BLOCK(alarm)) = CCTL_CCIE;
    irq_unlock(state);
}

void timer_cancel_alarm(enum alarm alarm)
{
    TBCCTL(BLOCK(alarm)) = 0;
    work_cancel(work[alarm]);
}

void timer_spin(uint32_t microseconds)
{
    uint32_t start = timer_now();

    while (timer_now() - start <= microseconds) {
    }
}

static void alarm_matched(unsigned alarm)
{
    if (timer_reached(timer_now(), deadlines[alarm])) {
        TBCCTL(BLOCK(alarm)) = 0;
        work_post(work[alarm]);
    }
}

/* Reading TBIV names the most urgent block, twice its number, and takes its flag back (SLAU049F 12.2.6). */
void timer_b_handler(void)
{
    GPIORIG_ENTER(ISR_TIMER);
    for (uint16_t block = TBIV / 2u; block != 0; block = TBIV / 2u) {
        if (block == SFD_BLOCK) {
            radio_port_sfd_fell();
        } else {
            alarm_matched(block - 1u);
        }
    }
    GPIORIG_EXIT(ISR_TIMER);
}
