/* Interrupts that the stand-in pends itself: RM0008 table 63, ARMv7-M ARM B3.4.6. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdint.h>

#define RADIO_IRQ 10u /* EXTI4 */
#define TIMER_IRQ 41u /* RTC alarm */

static inline void pend(unsigned irq)
{
    ((volatile uint32_t *)0xE000E200u)[irq / 32u] = 1u << irq % 32u;
}

#endif
