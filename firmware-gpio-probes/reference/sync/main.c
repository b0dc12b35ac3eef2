/**
 * The source of the sync line (docs/reference/sync-line.md) for a spare IoT-LAB M3: an image of its own, PROGRAM=sync. The line is
 * PB9, pin TIM4_CH4 (DS5792 table 5). Both edges are the timer's; the program only loads the width of the next pulse.
 */
#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "clock.h"

#ifndef STM32F103_H
#error "PROGRAM=sync: there is a source of the sync line for BOARD=iotlab-m3 only"
#endif

#define PERIOD_US 10000u
#define ZERO_US 100u
#define ONE_US 200u
#define PIN 9u
#define CHANNEL 4u
#define TAPPED 0xD008u /* stages 16, 15, 13, 4 of the register; stage 1 is bit 0 */

/* What the board's interrupts call; none comes. */
void radio_interrupt(void);
void radio_interrupt(void)
{
}

void radio_ask_for_service(void);
void radio_ask_for_service(void)
{
}

static uint32_t next_width_us(void)
{
    static uint16_t stages = 1;
    uint16_t parity = stages & TAPPED;
    bool one = stages >> 15;

    for (unsigned half = 8; half > 0; half /= 2) {
        parity ^= parity >> half;
    }
    stages = (uint16_t)(stages << 1 | (parity & 1u));
    return one ? ONE_US : ZERO_US;
}

int main(void)
{
    clock_init();
    RCC_APB2ENR |= RCC_APB2ENR_IOPB;
    RCC_APB1ENR |= RCC_APB1ENR_TIM4;
    TIM_PSC(TIM4) = CPU_HZ / 1000000u - 1u; /* the timers of APB1 run at twice 36 MHz: RM0008 7.2 */
    TIM_ARR(TIM4) = PERIOD_US - 1u;
    TIM_CCMR2(TIM4) = TIM_CCMR2_OC4M_PWM1 | TIM_CCMR2_OC4PE; /* high while the count is below CCR4: RM0008 15.4.8 */
    TIM_CCER(TIM4) = TIM_CCER_CC4E;
    TIM_CCR(TIM4, CHANNEL) = next_width_us();
    TIM_EGR(TIM4) = TIM_EGR_UG;        /* loads the prescaler and the first width */
    TIM_CNT(TIM4) = PERIOD_US - 1u;    /* low until the first pulse rises, with the first update */
    TIM_SR(TIM4) = 0;
    gpio_mode(GPIOB, PIN, GPIO_ALTERNATE);
    TIM_CR1(TIM4) = TIM_CR1_CEN;
    for (;;) {
        while ((TIM_SR(TIM4) & TIM_SR_UIF) == 0) {
        }
        TIM_SR(TIM4) = 0;
        TIM_CCR(TIM4, CHANNEL) = next_width_us(); /* taken over at the next update */
    }
}
