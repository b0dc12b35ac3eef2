/** What every Cortex-M has: the interrupt mask, sleep, and the interrupt controller (PM0056 2.1.3, 2.5.2, 4.3). */
#ifndef CORTEX_M_H
#define CORTEX_M_H

#include <stdint.h>

typedef uint32_t irq_state;

/** Masks interrupts; returns the former PRIMASK. */
static inline irq_state irq_lock(void)
{
    irq_state state;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(state) : : "memory");
    return state;
}

static inline void irq_unlock(irq_state state)
{
    __asm__ volatile("msr primask, %0" : : "r"(state) : "memory");
}

/**
 * Sleeps, interrupts being masked, until there is one, lets it be handled, and masks again. A pending interrupt ends
 * WFI even with PRIMASK set (PM0056 2.5.2), so none slips in between the caller's test and the sleep.
 */
static inline irq_state irq_sleep(irq_state state)
{
    __asm__ volatile("dsb\n\twfi" : : : "memory");
    irq_unlock(state);
    __asm__ volatile("isb" : : : "memory"); /* the pending handler runs here */
    return irq_lock();
}

#define NVIC_ISER(irq) (*(volatile uint32_t *)(0xE000E100u + 4u * ((irq) / 32u)))
#define NVIC_IPR(irq) (*(volatile uint8_t *)(0xE000E400u + (irq)))

/** Lower number is more urgent; only the upper four bits count. */
static inline void nvic_enable(unsigned irq, unsigned priority)
{
    NVIC_IPR(irq) = (uint8_t)(priority << 4);
    NVIC_ISER(irq) = 1u << (irq % 32u);
}

#endif
