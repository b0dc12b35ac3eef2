/**
 * What the ports of Cortex-M processors share: time made of instructions, interrupts masked by PRIMASK, a store to a place.
 * To be included when GPIORIG_CPU_HZ is defined, and GPIORIG_QUIET_NS: the time between two frames.
 */
#ifndef GPIORIG_PORT_CORTEX_H
#define GPIORIG_PORT_CORTEX_H

#include <stdint.h>

#ifndef GPIORIG_HOLD_NS
#define GPIORIG_HOLD_NS 125 /* three samples at 24 MHz */
#endif
#ifndef GPIORIG_MIN_HOLD_NS
#define GPIORIG_MIN_HOLD_NS 125
#endif
#if GPIORIG_HOLD_NS < GPIORIG_MIN_HOLD_NS
#error "gpiorig: GPIORIG_HOLD_NS is below GPIORIG_MIN_HOLD_NS, the shortest that this port can keep"
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

/*
 * The value is in a register here, and what follows from it is worked out after this. So at least these are between two
 * stores: flip the strobe (EOR), take the symbol (UBFX), put it in its place (ORR).
 */
#define GPIORIG_HERE(value) __asm__ volatile("" : "+l"(value))
#define GPIORIG_SYMBOL_CYCLES 3

/** From store to store, of which the next symbol and its store are a part. */
GPIORIG_INLINE void gpiorig_port_hold(void)
{
    GPIORIG_IDLE(GPIORIG_CYCLES(GPIORIG_HOLD_NS) - 1 - GPIORIG_SYMBOL_CYCLES);
}

/*
 * At least these are between the last store of a frame and the first of the next, of whatever function: the frame count
 * (4), unlock (1), a return (2) or an exception entry (12), the test of the mask (4), the call (2), lock (2), base and
 * place (2), symbol (2).
 */
#define GPIORIG_BETWEEN_FRAMES 19
GPIORIG_INLINE void gpiorig_port_quiet(void)
{
    enum { left = GPIORIG_CYCLES(GPIORIG_QUIET_NS) - 1 - GPIORIG_BETWEEN_FRAMES };

    GPIORIG_IDLE(left > 0 ? left : 0);
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
