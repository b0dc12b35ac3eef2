/**
 * gpiorig port: TelosB / Tmote Sky, MSP430F1611 at about 4 MHz (any clock up to 8 MHz does). Needs no header of an OS.
 *
 * Lines, all on port 6 so that one store changes them all:
 *     d0..d3 P6.0..P6.3 (expansion connector U2, pins 3, 5, 7, 10), strobe P6.6 (U28, pin 1)
 * With 1 or 2 lines, on any port, the loop of probe.c shows the frames, slower, with a longer frame gap (board file).
 * P6.7 (U28, pin 2), P2.3 and P2.6 (U28, pins 3 and 4) are free for span lines. Override with e.g.
 * -DGPIORIG_STROBE='GPIORIG_PIN_P6(7)'. Pins: Tmote Sky data sheet (Moteiv 2006),
 * expansion connector. A board support package that gives port 6 to the ADC (P6SEL) is put right by gpiorig_init().
 */
#ifndef GPIORIG_PORT_TELOSB_H
#define GPIORIG_PORT_TELOSB_H

#include <stdint.h>

#define GPIORIG_PIN_P1(n) (0x10 + (n))
#define GPIORIG_PIN_P2(n) (0x20 + (n))
#define GPIORIG_PIN_P3(n) (0x30 + (n))
#define GPIORIG_PIN_P4(n) (0x40 + (n))
#define GPIORIG_PIN_P5(n) (0x50 + (n))
#define GPIORIG_PIN_P6(n) (0x60 + (n))

#ifndef GPIORIG_STROBE
#define GPIORIG_STROBE GPIORIG_PIN_P6(6)
#endif
#ifndef GPIORIG_D0
#define GPIORIG_D0 GPIORIG_PIN_P6(0)
#endif
#ifndef GPIORIG_D1
#define GPIORIG_D1 GPIORIG_PIN_P6(1)
#endif
#define GPIORIG_D2 GPIORIG_PIN_P6(2)
#define GPIORIG_D3 GPIORIG_PIN_P6(3)
#define GPIORIG_D4 GPIORIG_PIN_P6(4)
#define GPIORIG_D5 GPIORIG_PIN_P6(5)
#define GPIORIG_D6 GPIORIG_PIN_P6(6)
#define GPIORIG_D7 GPIORIG_PIN_P6(7)

/* Tmote Sky data sheet (Moteiv 2006), schematics; TinyOS tos/platforms/telosa/hardware.h. */
#define GPIORIG_PORT_RESERVED(X, ...)                                                    \
    X(GPIORIG_PIN_P1(0), "P1.0, driven by the FIFOP of the radio", __VA_ARGS__)          \
    X(GPIORIG_PIN_P1(1), "P1.1, the boot loader", __VA_ARGS__)                           \
    X(GPIORIG_PIN_P1(3), "P1.3, driven by the FIFO of the radio", __VA_ARGS__)           \
    X(GPIORIG_PIN_P1(4), "P1.4, driven by the CCA of the radio", __VA_ARGS__)            \
    X(GPIORIG_PIN_P2(2), "P2.2, the boot loader", __VA_ARGS__)                           \
    X(GPIORIG_PIN_P2(7), "P2.7, driven by the user button", __VA_ARGS__)                 \
    X(GPIORIG_PIN_P3(1), "P3.1, the SPI data to radio and flash", __VA_ARGS__)           \
    X(GPIORIG_PIN_P3(2), "P3.2, driven by the SPI data of radio and flash", __VA_ARGS__) \
    X(GPIORIG_PIN_P3(3), "P3.3, the SPI clock of radio and flash", __VA_ARGS__)          \
    X(GPIORIG_PIN_P3(6), "P3.6, the console", __VA_ARGS__)                               \
    X(GPIORIG_PIN_P3(7), "P3.7, the console", __VA_ARGS__)                               \
    X(GPIORIG_PIN_P4(1), "P4.1, driven by the SFD of the radio", __VA_ARGS__)            \
    X(GPIORIG_PIN_P4(2), "P4.2, the SPI select of the radio", __VA_ARGS__)               \
    X(GPIORIG_PIN_P4(4), "P4.4, the SPI select of the flash", __VA_ARGS__)               \
    X(GPIORIG_PIN_P4(5), "P4.5, the voltage regulator of the radio", __VA_ARGS__)        \
    X(GPIORIG_PIN_P4(6), "P4.6, the reset of the radio", __VA_ARGS__)                    \
    X(GPIORIG_PIN_P6(4), "P6.4, driven by a light sensor", __VA_ARGS__)                  \
    X(GPIORIG_PIN_P6(5), "P6.5, driven by a light sensor", __VA_ARGS__)

#define GPIORIG_PORT_WIDTH 4
#ifndef GPIORIG_WIDTH
#define GPIORIG_WIDTH GPIORIG_PORT_WIDTH
#endif
#if GPIORIG_WIDTH == 8
#error "gpiorig: the TelosB has four data lines at most"
#endif

/* Ports 1 to 6: SLAU049F 9.2 (digital I/O), SLAS368 (peripheral file map). */
#define GPIORIG_OUT_ADDRESS(pin) \
    ((pin) >> 4 == 1   ? 0x21    \
     : (pin) >> 4 == 2 ? 0x29    \
     : (pin) >> 4 == 3 ? 0x19    \
     : (pin) >> 4 == 4 ? 0x1D    \
     : (pin) >> 4 == 5 ? 0x31    \
                       : 0x35)
#define GPIORIG_REGISTER(pin, offset) (*(volatile uint8_t *)(uintptr_t)(GPIORIG_OUT_ADDRESS(pin) + (offset)))
#define GPIORIG_OUT(pin) GPIORIG_REGISTER(pin, 0)
#define GPIORIG_DIR(pin) GPIORIG_REGISTER(pin, 1)
#define GPIORIG_SEL(pin) GPIORIG_REGISTER(pin, (pin) >> 4 <= 2 ? 5 : 2)
#define GPIORIG_BIT(pin) (1u << ((unsigned)(pin) & 7u))

#if GPIORIG_WIDTH == 2 && GPIORIG_D1 != GPIORIG_D0 + 1
#define GPIORIG_SPREAD(symbol) (((symbol) & 1u) << (GPIORIG_D0 & 7) | ((symbol) >> 1) << (GPIORIG_D1 & 7))
_Static_assert((GPIORIG_D1 >> 4) == (GPIORIG_STROBE >> 4), "gpiorig: data line 1 must be on the strobe's port");
#else
#define GPIORIG_SPREAD(symbol) ((unsigned)(symbol) << (GPIORIG_D0 & 7))
#endif
#define GPIORIG_BUS_PINS (GPIORIG_SPREAD((1u << GPIORIG_WIDTH) - 1u) | GPIORIG_BIT(GPIORIG_STROBE))
#if GPIORIG_WIDTH > 0
_Static_assert((GPIORIG_D0 >> 4) == (GPIORIG_STROBE >> 4), "gpiorig: data line 0 must be on the strobe's port");
#endif
#if GPIORIG_WIDTH == 4 && (GPIORIG_D0 != GPIORIG_PIN_P6(0) || (GPIORIG_STROBE >> 4) != 6)
#error "gpiorig: a TelosB has four data lines on P6.0 to P6.3 only, and the strobe on port 6"
#endif

/** Where unseen stores go: memory takes as many cycles as a port (SLAU049F 3.4.4). */
#define GPIORIG_PORT_HAS_NOWHERE
extern volatile uint8_t gpiorig_nowhere;

/** For one store for all lines; the other pins of the port keep their levels. */
GPIORIG_INLINE unsigned gpiorig_port_pins(unsigned symbol, unsigned strobe)
{
    unsigned others = GPIORIG_OUT(GPIORIG_STROBE) & ~GPIORIG_BUS_PINS;

    return others | GPIORIG_SPREAD(symbol) | (strobe != 0 ? GPIORIG_BIT(GPIORIG_STROBE) : 0u);
}

typedef volatile uint8_t *gpiorig_place;
#define GPIORIG_PORT_SEEN (&GPIORIG_OUT(GPIORIG_STROBE))
#define GPIORIG_PORT_UNSEEN (&gpiorig_nowhere)

GPIORIG_INLINE void gpiorig_port_store(gpiorig_place place, unsigned pins)
{
    *place = (uint8_t)pins;
}

/** 125 ns are less than the store itself takes. */
GPIORIG_INLINE void gpiorig_port_hold(void)
{
}

GPIORIG_INLINE void gpiorig_port_quiet(void)
{
    __asm__ volatile("nop" : : : "memory");
}

#if GPIORIG_WIDTH == 4
/*
 * A compiler makes 25 cycles a symbol of the loop in probe.c. These take 8 to 13, most of them to get at the nibble,
 * and work the check out on the way: c = 2 c ^ nibble, folded to four bits at the end, is rotl4(c) ^ nibble
 * (line-code.md). `b` is the port with its data lines low; each symbol flips the strobe in it. `to` is the
 * instruction that shows one.
 */
#define GPIORIG_PORT_SHOWS_FRAMES
#ifdef GPIORIG_VARIANT_EMPTY
#define GPIORIG_ASM_SEEN(r) ""
#else
#define GPIORIG_ASM_SEEN(r) "mov.b " r ", &0x35\n\t"
#endif
#define GPIORIG_ASM_UNSEEN(r) "mov.b " r ", &gpiorig_nowhere\n\t"
#define GPIORIG_ASM_BEGIN "mov.b &0x35, %[b]\n\tand.b #0xf0, %[b]\n\t"
#define GPIORIG_ASM_SHOW(to, r) "xor.b %[strobe], %[b]\n\tbis.b %[b], " r "\n\t" to(r)
#define GPIORIG_ASM_HALF(r) "rra " r "\n\trra " r "\n\trra " r "\n\trra " r "\n\t" /* of a byte: its upper nibble */
#define GPIORIG_ASM_CHECK(r) "add %[c], %[c]\n\txor " r ", %[c]\n\t"

/** Header and check of a frame without an id: 12 bits. */
#define GPIORIG_ASM_FRAME(to)                                                       \
    GPIORIG_ASM_BEGIN                                                               \
    "mov %[f], %[n]\n\tswpb %[n]\n\tand #15, %[n]\n\t" GPIORIG_ASM_SHOW(to, "%[n]") \
    "mov.b %[f], %[n]\n\t" GPIORIG_ASM_HALF("%[n]") GPIORIG_ASM_SHOW(to, "%[n]")    \
    "and #15, %[f]\n\t" GPIORIG_ASM_SHOW(to, "%[f]")

/** Header, id and check. */
#define GPIORIG_ASM_FRAME_ID(to)                                                                            \
    GPIORIG_ASM_BEGIN                                                                                       \
    "mov %[h], %[n]\n\t" GPIORIG_ASM_HALF("%[n]") GPIORIG_ASM_CHECK("%[n]") GPIORIG_ASM_SHOW(to, "%[n]")    \
    "and #15, %[h]\n\t" GPIORIG_ASM_CHECK("%[h]") GPIORIG_ASM_SHOW(to, "%[h]")                              \
    "mov %[id], %[y]\n\tswpb %[y]\n\tmov.b %[y], %[n]\n\t" GPIORIG_ASM_HALF("%[n]")                         \
    GPIORIG_ASM_CHECK("%[n]") GPIORIG_ASM_SHOW(to, "%[n]")                                                  \
    "and #15, %[y]\n\t" GPIORIG_ASM_CHECK("%[y]") GPIORIG_ASM_SHOW(to, "%[y]")                              \
    "mov.b %[id], %[n]\n\t" GPIORIG_ASM_HALF("%[n]") GPIORIG_ASM_CHECK("%[n]") GPIORIG_ASM_SHOW(to, "%[n]") \
    "and #15, %[id]\n\t" GPIORIG_ASM_CHECK("%[id]") GPIORIG_ASM_SHOW(to, "%[id]")                           \
    "mov %[c], %[n]\n\t" GPIORIG_ASM_HALF("%[n]") "xor %[n], %[c]\n\t" GPIORIG_ASM_HALF("%[n]")             \
    "xor %[n], %[c]\n\tand #15, %[c]\n\t" GPIORIG_ASM_SHOW(to, "%[c]")

#define GPIORIG_DEFINE_FRAMES(suffix, to)                                                                          \
    GPIORIG_INLINE void gpiorig_port_frame##suffix(uint16_t frame)                                                 \
    {                                                                                                              \
        uint16_t base, nibble;                                                                                     \
        __asm__ volatile(GPIORIG_ASM_FRAME(to)                                                                     \
                         : [b] "=&r"(base), [n] "=&r"(nibble), [f] "+r"(frame)                                     \
                         : [strobe] "r"(GPIORIG_BIT(GPIORIG_STROBE))                                               \
                         : "memory");                                                                              \
    }                                                                                                              \
    GPIORIG_INLINE void gpiorig_port_frame_id##suffix(uint16_t header, uint16_t id)                                \
    {                                                                                                              \
        uint16_t base, nibble, byte, check = 9;                                                                    \
        __asm__ volatile(GPIORIG_ASM_FRAME_ID(to)                                                                  \
                         : [b] "=&r"(base), [n] "=&r"(nibble), [y] "=&r"(byte), [c] "+r"(check), [h] "+r"(header), \
                           [id] "+r"(id)                                                                           \
                         : [strobe] "r"(GPIORIG_BIT(GPIORIG_STROBE))                                               \
                         : "memory");                                                                              \
    }

GPIORIG_DEFINE_FRAMES(, GPIORIG_ASM_SEEN)
GPIORIG_DEFINE_FRAMES(_unseen, GPIORIG_ASM_UNSEEN)
#endif

/** The state is the status register; the NOP is due after DINT (SLAU049F 2.2.3). */
GPIORIG_INLINE unsigned gpiorig_port_lock(void)
{
    unsigned state;

    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(state) : : "memory");
    return state;
}

/** The clobber keeps the compiler from carrying flags of a comparison across: they are in r2 too. */
GPIORIG_INLINE void gpiorig_port_unlock(unsigned state)
{
    __asm__ volatile("mov %0, r2\n\tnop" : : "r"(state) : "memory", "r2");
}

/** A span line: one instruction, atomic, since port and pin are constants. */
GPIORIG_INLINE void gpiorig_port_line(unsigned pin, unsigned level)
{
    if (level != 0) {
        GPIORIG_OUT(pin) |= (uint8_t)GPIORIG_BIT(pin);
    } else {
        GPIORIG_OUT(pin) &= (uint8_t)~GPIORIG_BIT(pin);
    }
}

GPIORIG_INLINE void gpiorig_port_line_unseen(unsigned pin, unsigned level)
{
    if (level != 0) {
        gpiorig_nowhere |= (uint8_t)GPIORIG_BIT(pin);
    } else {
        gpiorig_nowhere &= (uint8_t)~GPIORIG_BIT(pin);
    }
}

GPIORIG_INLINE void gpiorig_port_line_init(unsigned pin)
{
    gpiorig_port_line(pin, 0);
    GPIORIG_SEL(pin) &= (uint8_t)~GPIORIG_BIT(pin);
    GPIORIG_DIR(pin) |= (uint8_t)GPIORIG_BIT(pin);
}

GPIORIG_INLINE void gpiorig_port_init(void)
{
    gpiorig_port_store(GPIORIG_PORT_SEEN, gpiorig_port_pins(0, 0));
    GPIORIG_SEL(GPIORIG_STROBE) &= (uint8_t)~GPIORIG_BUS_PINS;
    GPIORIG_DIR(GPIORIG_STROBE) |= (uint8_t)GPIORIG_BUS_PINS;
}

#endif
