/** An IoT-LAB M3: reset, vectors, clocks, and TIM2 and SysTick as the hands of the air and of ztimer. */
#include "board.h"
#include "clock.h"
#include "standin.h"
#include "ztimer.h"

#define SYST_CSR REG(0xE000E010u) /* ARMv7-M B3.3 */
#define SYST_RVR REG(0xE000E014u)
#define SYST_CVR REG(0xE000E018u)
#define SHPR3 REG(0xE000ED20u) /* ARMv7-M B3.2.12: PendSV 23:16 */

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;
int main(void);
void board_init(void);
void isr_pendsv(void);

static void (*air)(void);
static uint32_t ticks_left;

void board_init(void)
{
    clock_init();
    RCC_APB1ENR |= RCC_APB1ENR_TIM2;
    TIM_PSC(TIM2) = CPU_HZ / 1000000u - 1u;
    TIM_ARR(TIM2) = 0xFFFFu;
    TIM_EGR(TIM2) = TIM_EGR_UG;
    TIM_SR(TIM2) = 0;
    TIM_CR1(TIM2) = TIM_CR1_CEN;
    SHPR3 |= 0xFFu << 16;
    nvic_enable(IRQ_TIM2, 1);
}

void air_in(uint32_t us, void (*callback)(void))
{
    air = callback;
    TIM_CCR(TIM2, 1) = (TIM_CNT(TIM2) + us) & 0xFFFFu;
    TIM_SR(TIM2) = ~TIM_CC(1);
    TIM_DIER(TIM2) |= TIM_CC(1);
}

static void isr_tim2(void)
{
    TIM_DIER(TIM2) &= ~TIM_CC(1);
    TIM_SR(TIM2) = ~TIM_CC(1);
    air();
}

void timer_in(uint32_t us)
{
    ticks_left = (us + 999) / 1000;
    SYST_RVR = CPU_HZ / 1000 - 1;
    SYST_CVR = 0;
    SYST_CSR = 7;
}

static void isr_systick(void)
{
    if (--ticks_left == 0) {
        SYST_CSR = 0;
        ztimer_handler(ZTIMER_USEC);
    }
}

static void fault(void)
{
    for (;;) {
    }
}

void reset_handler(void);
void reset_handler(void)
{
    const uint32_t *from = &data_load;

    for (uint32_t *to = &data_start; to < &data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &bss_start; to < &bss_end;) {
        *to++ = 0;
    }
    main();
}

__attribute__((section(".vectors"), used)) static void *const vectors[16 + 60] = {
    &stack_top, reset_handler, fault, fault, fault, fault, fault, [14] = isr_pendsv, isr_systick, [16 + 28] = isr_tim2,
};
