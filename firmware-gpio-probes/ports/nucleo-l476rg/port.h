/**
 * gpiorig port: Nucleo-L476RG, STM32L476RG at 80 MHz. Works under any OS: it needs no header of one.
 *
 * Lines, all on one port so that one store changes them all. Override with e.g. -DGPIORIG_STROBE='GPIORIG_PIN_C(9)'.
 *     strobe PC8 (CN10-2), d0 PC2 (CN7-35), d1 PC3 (CN7-37): UM1724 table 29
 * A bus of 4 or 8 lines is d0 and the pins next to it, upwards: only then is a symbol ready in time. 4 are PC2 to PC5; 8
 * need -DGPIORIG_D0='GPIORIG_PIN_C(0)', for boards without the shield: there PC7 is the radio's interrupt, PC1 its GPIO0.
 * Span lines may be on any port.
 */
#ifndef GPIORIG_PORT_NUCLEO_L476RG_H
#define GPIORIG_PORT_NUCLEO_L476RG_H

#include <stdint.h>

#define GPIORIG_PIN_A(n) (0x00 + (n))
#define GPIORIG_PIN_B(n) (0x10 + (n))
#define GPIORIG_PIN_C(n) (0x20 + (n))
#define GPIORIG_PIN_D(n) (0x30 + (n))

#ifndef GPIORIG_STROBE
#define GPIORIG_STROBE GPIORIG_PIN_C(8)
#endif
#ifndef GPIORIG_D0
#define GPIORIG_D0 GPIORIG_PIN_C(2)
#endif
#ifndef GPIORIG_D1
#define GPIORIG_D1 GPIORIG_PIN_C(3)
#endif
#ifndef GPIORIG_CPU_HZ
#define GPIORIG_CPU_HZ 80000000
#endif

#define GPIORIG_PORT_WIDTH 2
#ifndef GPIORIG_WIDTH
#define GPIORIG_WIDTH GPIORIG_PORT_WIDTH
#endif

/* Addresses: RM0351 2.2.2 (memory map), registers: RM0351 6.4.17 (RCC_AHB2ENR), 8.5 (GPIOx_MODER, OSPEEDR, BSRR). */
#define GPIORIG_RCC_AHB2ENR (*(volatile uint32_t *)0x4002104Cu)
#define GPIORIG_GPIO(pin, offset) \
    (*(volatile uint32_t *)(0x48000000u + 0x400u * ((unsigned)(pin) >> 4) + (offset)))
#define GPIORIG_GPIO_MODER(pin) GPIORIG_GPIO(pin, 0x00u)
#define GPIORIG_GPIO_OSPEEDR(pin) GPIORIG_GPIO(pin, 0x08u)
#define GPIORIG_GPIO_BSRR(pin) GPIORIG_GPIO(pin, 0x18u)

#define GPIORIG_BIT(pin) (1u << ((unsigned)(pin) & 15u))

/** The pins of a symbol: a shift when the data lines lie side by side. */
#if GPIORIG_WIDTH == 2 && GPIORIG_D1 != GPIORIG_D0 + 1
#define GPIORIG_SPREAD(symbol) (((symbol) & 1u) << (GPIORIG_D0 & 15) | ((symbol) >> 1) << (GPIORIG_D1 & 15))
_Static_assert(GPIORIG_D1 != GPIORIG_D0, "gpiorig: two data lines on one pin");
_Static_assert((GPIORIG_D1 >> 4) == (GPIORIG_STROBE >> 4), "gpiorig: all lines must be on the strobe's port");
#else
#define GPIORIG_SPREAD(symbol) ((uint32_t)(symbol) << (GPIORIG_D0 & 15))
#endif
#define GPIORIG_DATA_PINS GPIORIG_SPREAD((1u << GPIORIG_WIDTH) - 1u)

_Static_assert((GPIORIG_D0 >> 4) == (GPIORIG_STROBE >> 4), "gpiorig: all lines must be on the strobe's port");
#if GPIORIG_WIDTH > 2
_Static_assert((GPIORIG_D0 & 15) + GPIORIG_WIDTH <= 16, "gpiorig: the port ends before the bus");
#endif
_Static_assert((GPIORIG_DATA_PINS & GPIORIG_BIT(GPIORIG_STROBE)) == 0, "gpiorig: a data line is the strobe");

/** One store for all lines. BSRR: of a pin that is both set and reset, set wins (RM0351 8.5.7). */
static inline void gpiorig_port_store(uint32_t symbol, uint32_t strobe)
{
    const uint32_t all = GPIORIG_DATA_PINS | GPIORIG_BIT(GPIORIG_STROBE);

    GPIORIG_GPIO_BSRR(GPIORIG_STROBE) = all << 16 | GPIORIG_SPREAD(symbol) | strobe << (GPIORIG_STROBE & 15);
}

/*
 * Time is made of instructions that do nothing and cannot be folded away: MOV R8,R8, one cycle and two bytes each
 * (a NOP the core may drop, says the ARMv7-M ARM). A hold is that many plus the store itself. Code that the instruction
 * cache does not hold comes at 8 bytes per 5 cycles (RM0351 3.3.3: 4 wait states, 64 bits), a cycle more than the core
 * needs for them: a symbol may take up to a third longer the first time, never less.
 */
#define GPIORIG_CYCLES(ns) ((GPIORIG_CPU_HZ / 1000000 * (ns) + 999) / 1000)
#define GPIORIG_IDLE(cycles) __asm__ volatile(".rept %c0\n\tmov r8, r8\n\t.endr" : : "i"(cycles) : "memory")

/* To take 4 bits out of a frame and put them in their place takes that much at the least, and many bytes. */
#define GPIORIG_SHIFT_CYCLES (GPIORIG_WIDTH == 4 ? 5 : 0)

/** 125 ns from store to store: 10 cycles, of which the next store is one. */
static inline void gpiorig_port_hold(void)
{
    GPIORIG_IDLE(GPIORIG_CYCLES(125) - 1 - GPIORIG_SHIFT_CYCLES);
}

/**
 * 500 ns, 40 cycles, from the last store of a frame to the first of the next: that store (1), its hold (9), this, and
 * at least 12 more: the frame count (4), unlock (1), an exception entry (12) or a return and a call (4), lock (2),
 * symbol (3).
 */
static inline void gpiorig_port_quiet(void)
{
    GPIORIG_IDLE(GPIORIG_CYCLES(500) - GPIORIG_CYCLES(125) + GPIORIG_SHIFT_CYCLES - 12);
}

static inline uint32_t gpiorig_port_lock(void)
{
    uint32_t state;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(state) : : "memory");
    return state;
}

static inline void gpiorig_port_unlock(uint32_t state)
{
    __asm__ volatile("msr primask, %0" : : "r"(state) : "memory");
}

/** A span line: one store, atomic. */
static inline void gpiorig_port_line(unsigned pin, uint32_t level)
{
    GPIORIG_GPIO_BSRR(pin) = level != 0 ? GPIORIG_BIT(pin) : GPIORIG_BIT(pin) << 16;
}

/** The pin becomes an output; its level is whatever was stored before. */
static inline void gpiorig_port_pin_init(unsigned pin)
{
    unsigned shift = (pin & 15u) * 2u;

    GPIORIG_GPIO_OSPEEDR(pin) |= 3u << shift; /* the fastest */
    GPIORIG_GPIO_MODER(pin) = (GPIORIG_GPIO_MODER(pin) & ~(3u << shift)) | 1u << shift; /* output */
}

static inline void gpiorig_port_clock(unsigned pin)
{
    GPIORIG_RCC_AHB2ENR |= 1u << (pin >> 4);
}

static inline void gpiorig_port_init(void)
{
    gpiorig_port_clock(GPIORIG_STROBE);
    gpiorig_port_store(0, 0);
    for (unsigned bit = 0; bit < 16; bit++) {
        if (((GPIORIG_DATA_PINS | GPIORIG_BIT(GPIORIG_STROBE)) >> bit & 1u) != 0) {
            gpiorig_port_pin_init(((unsigned)GPIORIG_STROBE & ~15u) + bit);
        }
    }
}

static inline void gpiorig_port_line_init(unsigned pin)
{
    gpiorig_port_clock(pin);
    gpiorig_port_line(pin, 0);
    gpiorig_port_pin_init(pin);
}

#endif
