#include "timer.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "board.h"
#include "clock.h"
#include "interrupts.h"

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

void timer_arm(uint32_t deadline_us)
{
    TIM2_CCR(1) = deadline_us;
    TIM2_SR = ~TIM_CC(1); /* SR bits are cleared by writing 0; writing 1 leaves them: RM0351 31.4.5 */
    TIM2_DIER = TIM_CC(1);
    if (timer_reached(timer_now(), deadline_us)) {
        TIM2_EGR = TIM_CC(1); /* as a match would */
    }
}

void timer_disarm(void)
{
    TIM2_DIER = 0;
    TIM2_SR = ~TIM_CC(1);
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
    TIM2_SR = ~TIM_CC(1);
    alarm_interrupt();
    GPIORIG_EXIT(ISR_TIMER);
}
