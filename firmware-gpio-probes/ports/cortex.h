/**
 * What the ports of Cortex-M processors share: time made of instructions, interrupts masked by PRIMASK, a store to a place.
 * To be included when GPIORIG_CPU_HZ is defined.
 */
#ifndef GPIORIG_PORT_CORTEX_H
#define GPIORIG_PORT_CORTEX_H

#include <stdint.h>

#ifndef GPIORIG_HOLD_NS
#define GPIORIG_HOLD_NS 125 /* three samples at 24 MHz */
#endif
#if GPIORIG_HOLD_NS < 125
#error "gpiorig: GPIORIG_HOLD_NS is 125 at least: three samples at 24 MHz"
#endif

/* Cycles that it takes at the least to get a symbol out of a frame, where the hold has to be that much shorter. */
#ifndef GPIORIG_SHIFT_CYCLES
#define GPIORIG_SHIFT_CYCLES 0
#endif

/** Where the store of a symbol goes: GPIORIG_PORT_SEEN, GPIORIG_PORT_UNSEEN. */
typedef volatile uint32_t *gpiorig_place;

GPIORIG_INLINE void gpiorig_port_store(gpiorig_place place, unsigned pins)
{
    *place = pins;
}

/*
 * Time is made of instructions that do nothing and cannot be folded away: MOV R8,R8, one cycle and two bytes each
 * (a NOP the core may drop, by the ARMv7-M ARM). A hold is that many plus the store itself.
 */
#define GPIORIG_CYCLES(ns) ((GPIORIG_CPU_HZ / 1000000 * (ns) + 999) / 1000)
#define GPIORIG_IDLE(cycles) __asm__ volatile(".rept %c0\n\tmov r8, r8\n\t.endr" : : "i"(cycles) : "memory")

/** From store to store, of which the next store is one cycle. */
GPIORIG_INLINE void gpiorig_port_hold(void)
{
    GPIORIG_IDLE(GPIORIG_CYCLES(GPIORIG_HOLD_NS) - 1 - GPIORIG_SHIFT_CYCLES);
}

GPIORIG_INLINE unsigned gpiorig_port_lock(void)
{
    unsigned state;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(state) : : "memory");
    return state;
}

GPIORIG_INLINE void gpiorig_port_unlock(unsigned state)
{
    __asm__ volatile("msr primask, %0" : : "r"(state) : "memory");
}

#endif
