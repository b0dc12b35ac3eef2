#include "timer.h"

#include "gpiorig/probe.h"

#include "clock.h"
#include "interrupts.h"
#include "board.h"
#include "work.h"

/* An alarm is the TIM2 channel of its number. */
#define FIRST ALARM_SEND
#define LAST ALARM_TIMEOUT
#define SOONEST_US 8u /* far more than it takes to program a compare with interrupts masked */

static const uint32_t work[LAST + 1] = { [ALARM_SEND] = WORK_SEND, [ALARM_TIMEOUT] = WORK_TIMEOUT };

/* TIM2 has 32 bits and counts microseconds. */
void timer_init(void)
{
    RCC_APB1ENR1 |= RCC_APB1ENR1_TIM2;
    TIM2_PSC = CPU_HZ / 1000000u - 1u;
    TIM2_ARR = UINT32_MAX;
    TIM2_EGR = TIM_EGR_UG; /* loads the prescaler */
    TIM2_SR = 0;
    TIM2_CR1 = TIM_CR1_CEN;
    nvic_enable(IRQ_TIM2, 1);
}

uint32_t timer_now(void)
{
    return TIM2_CNT;
}

void timer_set_alarm(enum alarm alarm, uint32_t deadline)
{
    irq_state state = irq_lock();
    uint32_t soonest = timer_now() + SOONEST_US;

    if (timer_reached(soonest, deadline)) {
        deadline = soonest;
    }
    TIM2_CCR(alarm) = deadline;
    TIM2_SR = ~TIM_CC(alarm); /* SR bits are cleared by writing 0; writing 1 leaves them: RM0351 31.4.5 */
    TIM2_DIER |= TIM_CC(alarm);
    irq_unlock(state);
}

void timer_cancel_alarm(enum alarm alarm)
{
    irq_state state = irq_lock();

    TIM2_DIER &= ~TIM_CC(alarm);
    TIM2_SR = ~TIM_CC(alarm);
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
    uint32_t matched = TIM2_SR & TIM2_DIER;

    TIM2_SR = ~matched;
    for (unsigned alarm = FIRST; alarm <= LAST; alarm++) {
        if ((matched & TIM_CC(alarm)) != 0) {
            TIM2_DIER &= ~TIM_CC(alarm);
            work_post(work[alarm]);
        }
    }
    GPIORIG_EXIT(ISR_TIMER);
}
