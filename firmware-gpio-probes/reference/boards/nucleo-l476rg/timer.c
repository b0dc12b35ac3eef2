#include "timer.h"

#include "gpiorig/probe.h"

#include "board.h"
#include "clock.h"
#include "interrupts.h"
#include "work.h"

/* An alarm is the TIM2 channel of its number. */
#define FIRST ALARM_SEND
#define LAST ALARM_TIMEOUT
#define SOONEST_US 8u /* far more than it takes to program a compare with interrupts masked */

static const uint32_t work[LAST + 1] = { [ALARM_SEND] = WORK_SEND, [ALARM_TIMEOUT] = WORK_TIMEOUT };

/* TIM2 counts microseconds in 32 bits (RM0351 31.2). */
void timer_init(void)
{
    RCC_APB1ENR1 |= RCC_APB1ENR1_TIM2;
    TIM_PSC(TIM2) = CPU_HZ / 1000000u - 1u;
    TIM_ARR(TIM2) = 0xFFFFFFFFu;
    TIM_EGR(TIM2) = TIM_EGR_UG; /* loads the prescaler */
    TIM_SR(TIM2) = 0;
    TIM_CR1(TIM2) = TIM_CR1_CEN;
    nvic_enable(IRQ_TIM2, 1);
}

uint32_t timer_now(void)
{
    return TIM_CNT(TIM2);
}

void timer_set_alarm(enum alarm alarm, uint32_t deadline)
{
    irq_state state = irq_lock();
    uint32_t soonest = timer_now() + SOONEST_US;

    if (timer_reached(soonest, deadline)) {
        deadline = soonest;
    }
    TIM_CCR(TIM2, alarm) = deadline;
    TIM_SR(TIM2) = ~TIM_CC(alarm); /* SR bits are cleared by writing 0; writing 1 leaves them: RM0351 31.4.5 */
    TIM_DIER(TIM2) |= TIM_CC(alarm);
    irq_unlock(state);
}

void timer_cancel_alarm(enum alarm alarm)
{
    irq_state state = irq_lock();

    TIM_DIER(TIM2) &= ~TIM_CC(alarm);
    TIM_SR(TIM2) = ~TIM_CC(alarm);
    irq_unlock(state);
    work_cancel(work[alarm]);
}

void timer_spin(uint32_t microseconds)
{
    uint32_t start = timer_now();

    while (timer_now() - start <= microseconds) {
    }
}

void tim2_handler(void)
{
    GPIORIG_ENTER(ISR_TIMER);
    uint32_t matched = TIM_SR(TIM2) & TIM_DIER(TIM2);

    TIM_DIER(TIM2) &= ~matched;
    TIM_SR(TIM2) = ~matched;
    for (unsigned alarm = FIRST; alarm <= LAST; alarm++) {
        if ((matched & TIM_CC(alarm)) != 0) {
            work_post(work[alarm]);
        }
    }
    GPIORIG_EXIT(ISR_TIMER);
}
