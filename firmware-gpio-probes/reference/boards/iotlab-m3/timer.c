#include "timer.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "board.h"
#include "clock.h"
#include "interrupts.h"

/* TIM2 counts microseconds; TIM3 counts TIM2's updates (RM0008 15.3.15, table 86: ITR1 of TIM3 is TIM2). */
void timer_init(void)
{
    RCC_APB1ENR |= RCC_APB1ENR_TIM2 | RCC_APB1ENR_TIM3;
    TIM_PSC(TIM2) = CPU_HZ / 1000000u - 1u; /* the timers of APB1 run at twice 36 MHz: RM0008 7.2 */
    TIM_ARR(TIM2) = 0xFFFFu;
    TIM_CR2(TIM2) = TIM_CR2_MMS_UPDATE;
    TIM_EGR(TIM2) = TIM_EGR_UG; /* loads the prescaler, before TIM3 listens */
    TIM_SR(TIM2) = 0;
    TIM_ARR(TIM3) = 0xFFFFu;
    TIM_SMCR(TIM3) = TIM_SMCR_TS_ITR1 | TIM_SMCR_SMS_EXTERNAL1;
    TIM_CNT(TIM3) = 0;
    TIM_CR1(TIM3) = TIM_CR1_CEN;
    TIM_CNT(TIM2) = 0;
    TIM_CR1(TIM2) = TIM_CR1_CEN;
    nvic_enable(IRQ_TIM2, 1);
}

/* A carry between the reads shows as two different upper halves; the lower half is then read again. */
uint32_t timer_now(void)
{
    uint32_t high = TIM_CNT(TIM3);
    uint32_t low = TIM_CNT(TIM2);
    uint32_t again = TIM_CNT(TIM3);

    if (again != high) {
        low = TIM_CNT(TIM2);
    }
    return again << 16 | low;
}

/* The compare matches every 65.5 ms, so for a later deadline the interrupt comes early, a few times. */
void timer_arm(uint32_t deadline_us)
{
    TIM_CCR(TIM2, 1) = deadline_us & 0xFFFFu;
    TIM_SR(TIM2) = ~TIM_CC(1); /* SR bits are cleared by writing 0; writing 1 leaves them: RM0008 15.4.5 */
    TIM_DIER(TIM2) = TIM_CC(1);
    if (timer_reached(timer_now(), deadline_us)) {
        TIM_EGR(TIM2) = TIM_CC(1); /* as a match would */
    }
}

void timer_disarm(void)
{
    TIM_DIER(TIM2) = 0;
    TIM_SR(TIM2) = ~TIM_CC(1);
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
    TIM_SR(TIM2) = ~TIM_CC(1);
    alarm_interrupt();
    GPIORIG_EXIT(ISR_TIMER);
}
