/**
 * gpiorig port: nRF52840-DK, nRF52840 at 64 MHz. Works under any OS: it needs no header of one.
 *
 * Lines, all on P1 so that one store changes them all. Override with e.g. -DGPIORIG_STROBE='GPIORIG_PIN_P1(10)'.
 *     strobe P1.10 (Arduino D8), d0 P1.01 (D0), d1 P1.02 (D1): RIOT, boards/nrf52840dk/include/arduino_iomap.h
 * A bus of 4 or 8 lines is d0 and the pins next to it, upwards: P1.01 to P1.08. Span lines may be on either port.
 * Taps, which the PPI drives from events of the radio without an instruction of the processor: taps.h.
 * UNVERIFIED on hardware.
 */
#ifndef GPIORIG_PORT_NRF52840DK_H
#define GPIORIG_PORT_NRF52840DK_H

#include <stdint.h>

#define GPIORIG_PIN_P0(n) (0x00 + (n))
#define GPIORIG_PIN_P1(n) (0x20 + (n))

#ifndef GPIORIG_STROBE
#define GPIORIG_STROBE GPIORIG_PIN_P1(10)
#endif
#ifndef GPIORIG_D0
#define GPIORIG_D0 GPIORIG_PIN_P1(1)
#endif
#ifndef GPIORIG_CPU_HZ
#define GPIORIG_CPU_HZ 64000000
#endif

#define GPIORIG_PORT_WIDTH 2
#ifndef GPIORIG_WIDTH
#define GPIORIG_WIDTH GPIORIG_PORT_WIDTH
#endif
#define GPIORIG_D1 (GPIORIG_D0 + 1)
#define GPIORIG_D2 (GPIORIG_D0 + 2)
#define GPIORIG_D3 (GPIORIG_D0 + 3)
#define GPIORIG_D4 (GPIORIG_D0 + 4)
#define GPIORIG_D5 (GPIORIG_D0 + 5)
#define GPIORIG_D6 (GPIORIG_D0 + 6)
#define GPIORIG_D7 (GPIORIG_D0 + 7)

/* The taps; GPIORIG_NO_PIN for none. */
#ifndef GPIORIG_TAP_FRAME_TIMESTAMP
#define GPIORIG_TAP_FRAME_TIMESTAMP GPIORIG_PIN_P1(11)
#endif
#ifndef GPIORIG_TAP_TX_ACTIVE
#define GPIORIG_TAP_TX_ACTIVE GPIORIG_PIN_P1(12)
#endif
/* Lines of the radio that no event stands for; they are measured (docs/guide/measure.md). */
#ifndef GPIORIG_LINE_READY
#define GPIORIG_LINE_READY GPIORIG_PIN_P1(13)
#endif
#ifndef GPIORIG_LINE_CCA_IDLE
#define GPIORIG_LINE_CCA_IDLE GPIORIG_PIN_P1(14)
#endif
#ifndef GPIORIG_LINE_CCA_BUSY
#define GPIORIG_LINE_CCA_BUSY GPIORIG_PIN_P1(15)
#endif

/* A pin that is none is not a line that is none. */
#define GPIORIG_TAKEN(pin) ((pin) == GPIORIG_NO_PIN ? GPIORIG_NO_PIN - 1 : (pin))

/* nRF52840 DK user guide: crystals, debugger, serial port, LEDs, buttons, external memory. */
#define GPIORIG_PORT_RESERVED(X, ...)                                            \
    X(GPIORIG_PIN_P0(0), "P0.00, the 32 kHz crystal", __VA_ARGS__)               \
    X(GPIORIG_PIN_P0(1), "P0.01, the 32 kHz crystal", __VA_ARGS__)               \
    X(GPIORIG_PIN_P0(6), "P0.06, the console", __VA_ARGS__)                      \
    X(GPIORIG_PIN_P0(8), "P0.08, the console", __VA_ARGS__)                      \
    X(GPIORIG_PIN_P0(11), "P0.11, a button", __VA_ARGS__)                        \
    X(GPIORIG_PIN_P0(12), "P0.12, a button", __VA_ARGS__)                        \
    X(GPIORIG_PIN_P0(18), "P0.18, reset", __VA_ARGS__)                           \
    X(GPIORIG_PIN_P0(24), "P0.24, a button", __VA_ARGS__)                        \
    X(GPIORIG_PIN_P0(25), "P0.25, a button", __VA_ARGS__)                        \
    X(GPIORIG_TAKEN(GPIORIG_TAP_FRAME_TIMESTAMP), "the tap of frames", __VA_ARGS__)  \
    X(GPIORIG_TAKEN(GPIORIG_TAP_TX_ACTIVE), "the tap of transmissions", __VA_ARGS__)  \
    X(GPIORIG_TAKEN(GPIORIG_LINE_READY), "the radio's READY", __VA_ARGS__)            \
    X(GPIORIG_TAKEN(GPIORIG_LINE_CCA_IDLE), "the radio's CCAIDLE", __VA_ARGS__)       \
    X(GPIORIG_TAKEN(GPIORIG_LINE_CCA_BUSY), "the radio's CCABUSY", __VA_ARGS__)

/* nRF52840 Product Specification, "GPIO": registers; P1's are 0x300 above P0's. */
#define GPIORIG_GPIO(pin, offset) (*(volatile uint32_t *)(0x50000000u + 0x300u * ((unsigned)(pin) >> 5) + (offset)))
#define GPIORIG_GPIO_OUT(pin) GPIORIG_GPIO(pin, 0x504u)
#define GPIORIG_GPIO_OUTSET(pin) GPIORIG_GPIO(pin, 0x508u)
#define GPIORIG_GPIO_OUTCLR(pin) GPIORIG_GPIO(pin, 0x50Cu)
#define GPIORIG_GPIO_CNF(pin) GPIORIG_GPIO(pin, 0x700u + 4u * ((unsigned)(pin) & 31u))

#define GPIORIG_BIT(pin) (1u << ((unsigned)(pin) & 31u))
#define GPIORIG_SPREAD(symbol) ((unsigned)(symbol) << (GPIORIG_D0 & 31))
#define GPIORIG_BUS_PINS (GPIORIG_SPREAD((1u << GPIORIG_WIDTH) - 1u) | GPIORIG_BIT(GPIORIG_STROBE))

#if GPIORIG_WIDTH > 0
_Static_assert((GPIORIG_D0 >> 5) == (GPIORIG_STROBE >> 5), "gpiorig: data line 0 must be on the strobe's port");
_Static_assert((GPIORIG_D0 & 31) + GPIORIG_WIDTH <= (GPIORIG_D0 >> 5 ? 16 : 32), "gpiorig: the port ends before the bus");
#endif

/*
 * What a miss of the instruction cache adds makes symbols longer, never shorter: up to 3 wait states for 16 bytes
 * (PS, "NVMC" and "CPU"; unverified).
 */
#define GPIORIG_QUIET_NS (4 * GPIORIG_HOLD_NS)
#include "../cortex.h"

/**
 * One store for all lines. OUT has no bits that leave a pin as it is, so the other pins of the port get what OUT holds: the
 * frame's base is asked for with interrupts masked, and no other code writes OUT until its last symbol.
 */
GPIORIG_INLINE unsigned gpiorig_port_pins(unsigned symbol, unsigned strobe)
{
    return (GPIORIG_GPIO_OUT(GPIORIG_STROBE) & ~GPIORIG_BUS_PINS) | GPIORIG_SPREAD(symbol) |
           strobe << (GPIORIG_STROBE & 31);
}

/* Where a store goes. IN ignores it and takes as long, so unseen symbols run through the same code. */
#define GPIORIG_PORT_SEEN (&GPIORIG_GPIO_OUT(GPIORIG_STROBE))
#define GPIORIG_PORT_UNSEEN (&GPIORIG_GPIO_OUT(GPIORIG_STROBE) + 3)

/** A span line: one store, atomic. */
GPIORIG_INLINE void gpiorig_port_line(unsigned pin, unsigned level)
{
    if (level != 0) {
        GPIORIG_GPIO_OUTSET(pin) = GPIORIG_BIT(pin);
    } else {
        GPIORIG_GPIO_OUTCLR(pin) = GPIORIG_BIT(pin);
    }
}

GPIORIG_INLINE void gpiorig_port_line_unseen(unsigned pin, unsigned level)
{
    (void)level;
    GPIORIG_GPIO_OUTSET(pin) = 0;
}

/** The pin becomes an output, low: high drive both ways, input buffer off. */
GPIORIG_INLINE void gpiorig_port_line_init(unsigned pin)
{
    gpiorig_port_line(pin, 0);
    GPIORIG_GPIO_CNF(pin) = 1u | 1u << 1 | 3u << 8;
}

#include "taps.h"

GPIORIG_INLINE void gpiorig_port_init(void)
{
    gpiorig_taps_init();
    for (unsigned bit = 0; bit < 32; bit++) {
        if ((GPIORIG_BUS_PINS >> bit & 1u) != 0) {
            gpiorig_port_line_init(((unsigned)GPIORIG_STROBE & ~31u) + bit);
        }
    }
}

#endif
