/**
 * gpiorig port: boards with a CC2538 at up to 32 MHz, under Contiki-NG (targets zoul, openmote, cc2538dk) or anything else.
 *
 * Lines, all on one port so that one store changes them all. Override with e.g. -DGPIORIG_STROBE='GPIORIG_PIN_C(4)'.
 *     Zolertia RE-Mote       strobe PC4, d0 PC5, d1 PC6: connector JP5, pins 3 to 5, its second SPI, where the microSD card is
 *     OpenMote-CC2538        strobe PD3, d0 PD1, d1 PD2: XBee connector, RF1.6, RF1.10, RF1.8 (-DGPIORIG_CC2538_OPENMOTE)
 * (Contiki-NG arch/platform/zoul/remote-revb/board.h, commit 629b374e; OpenWSN bsp/boards/openmote-cc2538/debugpins.c.) On the
 * OpenMote PC4 to PC7 are LEDs. Other boards: set the pins. A bus of 4 or 8 lines is d0 and the pins next to it, upwards.
 * UNVERIFIED on hardware, and there is no virtual board.
 */
#ifndef GPIORIG_PORT_CC2538_H
#define GPIORIG_PORT_CC2538_H

#include <stdint.h>

#define GPIORIG_PIN_A(n) (0x00 + (n))
#define GPIORIG_PIN_B(n) (0x08 + (n))
#define GPIORIG_PIN_C(n) (0x10 + (n))
#define GPIORIG_PIN_D(n) (0x18 + (n))

#ifdef GPIORIG_CC2538_OPENMOTE
#define GPIORIG_CC2538_STROBE GPIORIG_PIN_D(3)
#define GPIORIG_CC2538_D0 GPIORIG_PIN_D(1)
#else
#define GPIORIG_CC2538_STROBE GPIORIG_PIN_C(4)
#define GPIORIG_CC2538_D0 GPIORIG_PIN_C(5)
#endif
#ifndef GPIORIG_STROBE
#define GPIORIG_STROBE GPIORIG_CC2538_STROBE
#endif
#ifndef GPIORIG_D0
#define GPIORIG_D0 GPIORIG_CC2538_D0
#endif
#ifndef GPIORIG_CPU_HZ
#define GPIORIG_CPU_HZ 32000000
#endif

#define GPIORIG_PORT_WIDTH 2
#ifndef GPIORIG_WIDTH
#define GPIORIG_WIDTH GPIORIG_PORT_WIDTH
#endif
#if GPIORIG_WIDTH == 8
#error "gpiorig: a port of the CC2538 has 8 pins, so that there are four data lines at most with the strobe"
#endif
#define GPIORIG_D1 (GPIORIG_D0 + 1)
#define GPIORIG_D2 (GPIORIG_D0 + 2)
#define GPIORIG_D3 (GPIORIG_D0 + 3)
#define GPIORIG_D4 GPIORIG_NO_PIN
#define GPIORIG_D5 GPIORIG_NO_PIN
#define GPIORIG_D6 GPIORIG_NO_PIN
#define GPIORIG_D7 GPIORIG_NO_PIN

#define GPIORIG_PORT_RESERVED(X, ...)                                            \
    X(GPIORIG_PIN_A(0), "PA0, the console", __VA_ARGS__)                         \
    X(GPIORIG_PIN_A(1), "PA1, the console", __VA_ARGS__)                         \
    X(GPIORIG_PIN_B(6), "PB6, JTAG", __VA_ARGS__)                                \
    X(GPIORIG_PIN_B(7), "PB7, JTAG", __VA_ARGS__)                                \
    X(GPIORIG_PIN_D(6), "PD6, the 32 kHz crystal", __VA_ARGS__)                  \
    X(GPIORIG_PIN_D(7), "PD7, the 32 kHz crystal", __VA_ARGS__)

/*
 * TI SWRU319 9 (GPIO) and 9.1 (I/O muxing); addresses as in Contiki-NG arch/cpu/cc2538/dev/gpio.h and ioc.h (2467b36a). A
 * store to GPIO_DATA changes the pins that bits 9 to 2 of its address select: a single store shows a symbol.
 */
#define GPIORIG_GPIO(pin, offset) \
    (*(volatile uint32_t *)(0x400D9000u + 0x1000u * ((unsigned)(pin) >> 3) + (offset)))
#define GPIORIG_GPIO_DATA(pin, mask) GPIORIG_GPIO(pin, (mask) << 2)
#define GPIORIG_GPIO_DIR(pin) GPIORIG_GPIO(pin, 0x400u)
#define GPIORIG_GPIO_AFSEL(pin) GPIORIG_GPIO(pin, 0x420u)
#define GPIORIG_IOC_OVER(pin) (*(volatile uint32_t *)(0x400D4080u + 4u * (unsigned)(pin)))

#define GPIORIG_BIT(pin) (1u << ((unsigned)(pin) & 7u))
#define GPIORIG_BUS_PINS (((1u << GPIORIG_WIDTH) - 1u) << (GPIORIG_D0 & 7) | GPIORIG_BIT(GPIORIG_STROBE))

#if GPIORIG_WIDTH > 0
_Static_assert((GPIORIG_D0 >> 3) == (GPIORIG_STROBE >> 3), "gpiorig: data line 0 must be on the strobe's port");
_Static_assert((GPIORIG_D0 & 7) + GPIORIG_WIDTH <= 8, "gpiorig: the port ends before the bus");
#endif

#define GPIORIG_SPREAD(symbol) ((unsigned)(symbol) << (GPIORIG_D0 & 7))
GPIORIG_INLINE unsigned gpiorig_port_pins(unsigned symbol, unsigned strobe)
{
    return GPIORIG_SPREAD(symbol) | strobe << (GPIORIG_STROBE & 7);
}

/* Where a store goes: to the pins of the bus; to an address that selects none. */
#define GPIORIG_PORT_SEEN (&GPIORIG_GPIO_DATA(GPIORIG_STROBE, GPIORIG_BUS_PINS))
#define GPIORIG_PORT_UNSEEN (&GPIORIG_GPIO_DATA(GPIORIG_STROBE, 0u))

/* What the flash adds makes symbols longer, never shorter. */
#define GPIORIG_QUIET_NS (4 * GPIORIG_HOLD_NS)
#include "../cortex.h"

/** A span line: one store, atomic. */
GPIORIG_INLINE void gpiorig_port_line(unsigned pin, unsigned level)
{
    GPIORIG_GPIO_DATA(pin, GPIORIG_BIT(pin)) = level != 0 ? GPIORIG_BIT(pin) : 0;
}

GPIORIG_INLINE void gpiorig_port_line_unseen(unsigned pin, unsigned level)
{
    GPIORIG_GPIO_DATA(pin, 0u) = level != 0 ? GPIORIG_BIT(pin) : 0;
}

/** The pin becomes an output, low, of software's, without pulls. */
GPIORIG_INLINE void gpiorig_port_line_init(unsigned pin)
{
    gpiorig_port_line(pin, 0);
    GPIORIG_GPIO_AFSEL(pin) &= ~GPIORIG_BIT(pin);
    GPIORIG_GPIO_DIR(pin) |= GPIORIG_BIT(pin);
    GPIORIG_IOC_OVER(pin) = 8; /* output enable */
}

GPIORIG_INLINE void gpiorig_port_init(void)
{
    for (unsigned bit = 0; bit < 8; bit++) {
        if ((GPIORIG_BUS_PINS >> bit & 1u) != 0) {
            gpiorig_port_line_init(((unsigned)GPIORIG_STROBE & ~7u) + bit);
        }
    }
}

#endif
