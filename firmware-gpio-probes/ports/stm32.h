/**
 * What the ports of STM32 boards share, in addition to cortex.h: one BSRR store.
 *
 * The board's port.h includes it after it has defined, each overridable with -D,
 *     GPIORIG_STROBE, GPIORIG_D0, GPIORIG_D1     GPIORIG_PIN_A(3) and so on, all on one GPIO port
 *     GPIORIG_CPU_HZ, GPIORIG_PORT_WIDTH
 * and, after that, the chip's gpiorig_port_clock(pin), gpiorig_port_pin_init(pin) and GPIORIG_QUIET_NS, the time
 * between two frames: stm32f1.h or stm32l4.h.
 * A bus of 4 or 8 lines is d0 and the pins next to it, upwards: only then is a symbol ready in time.
 */
#ifndef GPIORIG_PORT_STM32_H
#define GPIORIG_PORT_STM32_H

#include <stdint.h>

#ifndef GPIORIG_WIDTH
#define GPIORIG_WIDTH GPIORIG_PORT_WIDTH
#endif
#include "cortex.h"

#if GPIORIG_WIDTH > 2
#undef GPIORIG_D1
#define GPIORIG_D1 (GPIORIG_D0 + 1)
#endif
#define GPIORIG_D2 (GPIORIG_D0 + 2)
#define GPIORIG_D3 (GPIORIG_D0 + 3)
#define GPIORIG_D4 (GPIORIG_D0 + 4)
#define GPIORIG_D5 (GPIORIG_D0 + 5)
#define GPIORIG_D6 (GPIORIG_D0 + 6)
#define GPIORIG_D7 (GPIORIG_D0 + 7)

#define GPIORIG_BIT(pin) (1u << ((unsigned)(pin) & 15u))

/** The pins of a symbol: a shift when the data lines lie side by side. */
#if GPIORIG_WIDTH == 2 && GPIORIG_D1 != GPIORIG_D0 + 1
#define GPIORIG_SPREAD(symbol) (((symbol) & 1u) << (GPIORIG_D0 & 15) | ((symbol) >> 1) << (GPIORIG_D1 & 15))
_Static_assert((GPIORIG_D1 >> 4) == (GPIORIG_STROBE >> 4), "gpiorig: data line 1 must be on the strobe's port");
#else
#define GPIORIG_SPREAD(symbol) ((unsigned)(symbol) << (GPIORIG_D0 & 15))
#endif
#define GPIORIG_DATA_PINS GPIORIG_SPREAD((1u << GPIORIG_WIDTH) - 1u)
#define GPIORIG_BUS_PINS (GPIORIG_DATA_PINS | GPIORIG_BIT(GPIORIG_STROBE))

#if GPIORIG_WIDTH > 0
_Static_assert((GPIORIG_D0 >> 4) == (GPIORIG_STROBE >> 4), "gpiorig: data line 0 must be on the strobe's port");
#endif
#if GPIORIG_WIDTH > 2
_Static_assert((GPIORIG_D0 & 15) + GPIORIG_WIDTH <= 16, "gpiorig: the port ends before the bus");
#endif

/** One store for all lines: of a pin that is both set and reset, set wins (RM0008 9.2.5, RM0351 8.5.7). */
GPIORIG_INLINE unsigned gpiorig_port_pins(unsigned symbol, unsigned strobe)
{
    return GPIORIG_BUS_PINS << 16 | GPIORIG_SPREAD(symbol) | strobe << (GPIORIG_STROBE & 15);
}

/*
 * Where a store goes. The input register ignores it and takes as long (IDR, 8 bytes before BSRR: RM0008 9.2.3, RM0351
 * 8.5.5), so unseen symbols run through the same code.
 */
#define GPIORIG_PORT_SEEN (&GPIORIG_GPIO_BSRR(GPIORIG_STROBE))
#define GPIORIG_PORT_UNSEEN (&GPIORIG_GPIO_BSRR(GPIORIG_STROBE) - 2)

/** A span line: one store, atomic. */
GPIORIG_INLINE void gpiorig_port_line(unsigned pin, unsigned level)
{
    GPIORIG_GPIO_BSRR(pin) = level != 0 ? GPIORIG_BIT(pin) : GPIORIG_BIT(pin) << 16;
}

GPIORIG_INLINE void gpiorig_port_line_unseen(unsigned pin, unsigned level)
{
    __asm__ volatile("" : : "r"(level != 0 ? GPIORIG_BIT(pin) : GPIORIG_BIT(pin) << 16));
    GPIORIG_GPIO_BSRR(pin) = 0;
}

/** The pin becomes an output, low. */
GPIORIG_INLINE void gpiorig_port_line_init(unsigned pin)
{
    gpiorig_port_clock(pin);
    gpiorig_port_line(pin, 0);
    gpiorig_port_pin_init(pin);
}

GPIORIG_INLINE void gpiorig_port_init(void)
{
    for (unsigned bit = 0; bit < 16; bit++) {
        if ((GPIORIG_BUS_PINS >> bit & 1u) != 0) {
            gpiorig_port_line_init(((unsigned)GPIORIG_STROBE & ~15u) + bit);
        }
    }
}

#endif
