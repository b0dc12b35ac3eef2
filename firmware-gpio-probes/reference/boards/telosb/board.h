/** The TelosB, as the stack sees it. */
#ifndef BOARD_H
#define BOARD_H

#include "msp430f1611.h"

typedef uint16_t irq_state;

/* An assembly that writes SR declares it ("r2"): clang keeps results of comparisons in its flags. */

/** Masks interrupts; returns the former status register. The NOP is due after DINT (SLAU049F 2.2.3). */
static inline irq_state irq_lock(void)
{
    irq_state state;

    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(state) : : "memory");
    return state;
}

/** The clobber keeps the compiler from carrying flags of a comparison across: they are in r2 too. */
static inline void irq_unlock(irq_state state)
{
    __asm__ volatile("mov %0, r2\n\tnop" : : "r"(state) : "memory", "r2");
}

/**
 * Sleeps, interrupts being masked, until one was handled, and masks again. GIE and CPUOFF are set by one instruction, so
 * none slips in between the caller's test and the sleep; startup.S clears CPUOFF on the way out. The clocks continue (LPM0):
 * both USARTs and Timer_B live on the DCO.
 */
static inline irq_state irq_sleep(irq_state state)
{
    __asm__ volatile("bis #0x18, r2\n\tnop\n\tdint\n\tnop" : : : "memory", "r2");
    return state;
}

#define BOARD_UID_WORDS 2u

/** 32 bits of the number of the board's DS2411, the family code first; all ones without a chip that answers. */
uint32_t board_uid(unsigned word);

#endif
