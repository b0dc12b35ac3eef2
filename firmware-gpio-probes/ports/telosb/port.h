/**
 * gpiorig port: TelosB / Tmote Sky, MSP430F1611 at about 4 MHz (any clock up to 8 MHz does). Needs no header of an OS.
 *
 * Lines, all on port 6 so that one store changes them all:
 *     d0..d3 P6.0..P6.3 (expansion connector U2, pins 3, 5, 7, 10), strobe P6.6 (U28, pin 1)
 * With 1 or 2 lines the loop of probe.c shows the frames, slower than the board file's frame gap allows for.
 * P6.7 (U28, pin 2), P2.3 and P2.6 (U28, pins 3 and 4) are free for span lines. Pins: Tmote Sky data sheet (Moteiv 2006),
 * expansion connector. A board support package that gives port 6 to the ADC (P6SEL) is put right by gpiorig_init().
 */
#ifndef GPIORIG_PORT_TELOSB_H
#define GPIORIG_PORT_TELOSB_H

#include <stdint.h>

#define GPIORIG_PIN_P2(n) (0x20 + (n))
#define GPIORIG_PIN_P6(n) (0x60 + (n))

#define GPIORIG_PORT_WIDTH 4
#ifndef GPIORIG_WIDTH
#define GPIORIG_WIDTH GPIORIG_PORT_WIDTH
#endif
#if GPIORIG_WIDTH == 8
#error "gpiorig: the TelosB has four data lines at most"
#endif

/* SLAU049F 9.2 (digital I/O), SLAS368 (peripheral file map) */
#define GPIORIG_P6OUT (*(volatile uint8_t *)0x0035u)
#define GPIORIG_P6DIR (*(volatile uint8_t *)0x0036u)
#define GPIORIG_P6SEL (*(volatile uint8_t *)0x0037u)
#define GPIORIG_P2OUT (*(volatile uint8_t *)0x0029u)
#define GPIORIG_P2DIR (*(volatile uint8_t *)0x002Au)
#define GPIORIG_P2SEL (*(volatile uint8_t *)0x002Eu)
#define GPIORIG_P6_STROBE 0x40u
#define GPIORIG_P6_LINES (GPIORIG_P6_STROBE | ((1u << GPIORIG_WIDTH) - 1u))

/** One store for all lines; the other pins of the port keep their levels. */
static inline void gpiorig_port_store(uint16_t symbol, uint16_t strobe)
{
    uint8_t others = (uint8_t)(GPIORIG_P6OUT & ~GPIORIG_P6_LINES);

    GPIORIG_P6OUT = (uint8_t)(others | symbol | (strobe != 0 ? GPIORIG_P6_STROBE : 0u));
}

/** 125 ns are less than the store itself takes. */
static inline void gpiorig_port_hold(void)
{
}

static inline void gpiorig_port_quiet(void)
{
    __asm__ volatile("nop" : : : "memory");
}

#if GPIORIG_WIDTH == 4
/*
 * A compiler makes 25 cycles a symbol of the loop in probe.c. These take 8 to 13, most of them to get at the nibble, and
 * work the check out on the way: c = 2 c ^ nibble, folded to four bits at the end, is rotl4(c) ^ nibble (line-code.md).
 * `b` is the port with its data lines low; each symbol flips the strobe in it.
 */
#define GPIORIG_PORT_SHOWS_FRAMES
#define GPIORIG_ASM_BEGIN "mov.b &0x35, %[b]\n\tand.b #0xf0, %[b]\n\t"
#define GPIORIG_ASM_SHOW(r) "xor.b %[strobe], %[b]\n\tbis.b %[b], " r "\n\tmov.b " r ", &0x35\n\t"
#define GPIORIG_ASM_HALF(r) "rra " r "\n\trra " r "\n\trra " r "\n\trra " r "\n\t" /* of a byte: its upper nibble */
#define GPIORIG_ASM_CHECK(r) "add %[c], %[c]\n\txor " r ", %[c]\n\t"

/** Header and check of a frame without an id: 12 bits. */
static inline void gpiorig_port_frame(uint16_t frame)
{
    uint16_t base, nibble;

    __asm__ volatile(GPIORIG_ASM_BEGIN
                     "mov %[f], %[n]\n\tswpb %[n]\n\tand #15, %[n]\n\t" GPIORIG_ASM_SHOW("%[n]")
                     "mov.b %[f], %[n]\n\t" GPIORIG_ASM_HALF("%[n]") GPIORIG_ASM_SHOW("%[n]")
                     "and #15, %[f]\n\t" GPIORIG_ASM_SHOW("%[f]")
                     : [b] "=&r"(base), [n] "=&r"(nibble), [f] "+r"(frame)
                     : [strobe] "r"(GPIORIG_P6_STROBE)
                     : "memory");
}

/** Header, id and check. */
static inline void gpiorig_port_frame_id(uint16_t header, uint16_t id)
{
    uint16_t base, nibble, byte, check = 9;

    __asm__ volatile(GPIORIG_ASM_BEGIN
                     "mov %[h], %[n]\n\t" GPIORIG_ASM_HALF("%[n]") GPIORIG_ASM_CHECK("%[n]") GPIORIG_ASM_SHOW("%[n]")
                     "and #15, %[h]\n\t" GPIORIG_ASM_CHECK("%[h]") GPIORIG_ASM_SHOW("%[h]")
                     "mov %[id], %[y]\n\tswpb %[y]\n\tmov.b %[y], %[n]\n\t" GPIORIG_ASM_HALF("%[n]")
                     GPIORIG_ASM_CHECK("%[n]") GPIORIG_ASM_SHOW("%[n]")
                     "and #15, %[y]\n\t" GPIORIG_ASM_CHECK("%[y]") GPIORIG_ASM_SHOW("%[y]")
                     "mov.b %[id], %[n]\n\t" GPIORIG_ASM_HALF("%[n]") GPIORIG_ASM_CHECK("%[n]") GPIORIG_ASM_SHOW("%[n]")
                     "and #15, %[id]\n\t" GPIORIG_ASM_CHECK("%[id]") GPIORIG_ASM_SHOW("%[id]")
                     "mov %[c], %[n]\n\t" GPIORIG_ASM_HALF("%[n]") "xor %[n], %[c]\n\t" GPIORIG_ASM_HALF("%[n]")
                     "xor %[n], %[c]\n\tand #15, %[c]\n\t" GPIORIG_ASM_SHOW("%[c]")
                     : [b] "=&r"(base), [n] "=&r"(nibble), [y] "=&r"(byte), [c] "+r"(check), [h] "+r"(header), [id] "+r"(id)
                     : [strobe] "r"(GPIORIG_P6_STROBE)
                     : "memory");
}
#endif

/** The state is the status register; the NOP is due after DINT (SLAU049F 2.2.3). */
static inline uint16_t gpiorig_port_lock(void)
{
    uint16_t state;

    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(state) : : "memory");
    return state;
}

static inline void gpiorig_port_unlock(uint16_t state)
{
    __asm__ volatile("mov %0, r2\n\tnop" : : "r"(state) : "memory");
}

/** A span line: one instruction, atomic, since port and pin are constants. */
static inline void gpiorig_port_line(unsigned pin, uint16_t level)
{
    volatile uint8_t *out = pin < GPIORIG_PIN_P6(0) ? &GPIORIG_P2OUT : &GPIORIG_P6OUT;

    if (level != 0) {
        *out |= (uint8_t)(1u << (pin & 7u));
    } else {
        *out &= (uint8_t)~(1u << (pin & 7u));
    }
}

static inline void gpiorig_port_init(void)
{
    gpiorig_port_store(0, 0);
    GPIORIG_P6SEL &= (uint8_t)~GPIORIG_P6_LINES;
    GPIORIG_P6DIR |= (uint8_t)GPIORIG_P6_LINES;
}

static inline void gpiorig_port_line_init(unsigned pin)
{
    uint8_t bit = (uint8_t)(1u << (pin & 7u));

    gpiorig_port_line(pin, 0);
    if (pin < GPIORIG_PIN_P6(0)) {
        GPIORIG_P2SEL &= (uint8_t)~bit;
        GPIORIG_P2DIR |= bit;
    } else {
        GPIORIG_P6SEL &= (uint8_t)~bit;
        GPIORIG_P6DIR |= bit;
    }
}

#endif
