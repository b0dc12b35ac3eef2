/**
 * gpiorig probe library: tells a logic analyzer what firmware does (docs/line-code.md).
 *
 * Build with -DGPIORIG_PORT=<folder under ports/> and -I for include/ and ports/; one C file, src/probe.c, with -O2.
 * -DGPIORIG_WIDTH=1|2|4|8 overrides the port's bus width. -DGPIORIG_OFF makes every call vanish.
 *
 * Points are named as in events.toml, upper case with underscores:
 *     GPIORIG_EVENT(RIG_BOOT);  GPIORIG_ENTER(ISR_RADIO);  GPIORIG_EXIT_ID(APP_TX, sequence);
 *
 * A point can have a line of its own, high from its enter to its exit, for the price of one store:
 *     -DGPIORIG_SPAN_ISR_RADIO='GPIORIG_PIN_A(3)'
 * Then its enter and exit are not sent on the bus, and an id given with them does not leave the node.
 *
 * All calls may be made from any context: a frame is sent with interrupts masked, and the mask is put back as it was.
 */
#ifndef GPIORIG_PROBE_H
#define GPIORIG_PROBE_H

#include <stdint.h>

#include "gpiorig/events.h"

#ifdef GPIORIG_OFF

#define GPIORIG_ENTER(POINT) ((void)0)
#define GPIORIG_EXIT(POINT) ((void)0)
#define GPIORIG_ENTER_ID(POINT, id) ((void)sizeof(id))
#define GPIORIG_EXIT_ID(POINT, id) ((void)sizeof(id))
#define GPIORIG_EVENT(CODE) ((void)0)
#define GPIORIG_EVENT_ID(CODE, id) ((void)sizeof(id))
#define gpiorig_init() ((void)0)
#define gpiorig_wiring_proof() ((void)0)
#define gpiorig_calibrate(n) ((void)sizeof(n))
#define gpiorig_frames() ((uint32_t)0)

#else

#ifndef GPIORIG_PORT
#error "gpiorig: no port chosen; build with -DGPIORIG_PORT=<a folder under firmware-gpio-probes/ports>"
#endif
#define GPIORIG_TEXT_(x) #x
#define GPIORIG_TEXT(x) GPIORIG_TEXT_(x)
#if !__has_include(GPIORIG_TEXT(GPIORIG_PORT/port.h))
#error "gpiorig: unknown port; GPIORIG_PORT must name a folder with a port.h, below -I firmware-gpio-probes/ports"
#endif
#include GPIORIG_TEXT(GPIORIG_PORT/port.h)

#define GPIORIG_NO_PIN (-1)

/* The pin of a span line is a constant, so one of the two branches is all that is left. */
#define GPIORIG_LINE_OR(pin, level, event)                    \
    do {                                                      \
        if ((pin) != GPIORIG_NO_PIN) {                        \
            gpiorig_port_line((unsigned)(pin), (level));      \
        } else {                                              \
            event;                                            \
        }                                                     \
    } while (0)

/* Names are pasted here, at the first level: further down a macro of the firmware's could replace them. */
#define GPIORIG_ENTER(POINT) GPIORIG_LINE_OR(GPIORIG_SPAN_##POINT, 1u, gpiorig_event(GPIORIG_##POINT##_ENTER))
#define GPIORIG_EXIT(POINT) GPIORIG_LINE_OR(GPIORIG_SPAN_##POINT, 0u, gpiorig_event(GPIORIG_##POINT##_EXIT))
#define GPIORIG_ENTER_ID(POINT, id) \
    GPIORIG_LINE_OR(GPIORIG_SPAN_##POINT, 1u, gpiorig_event_id(GPIORIG_##POINT##_ENTER, (id)))
#define GPIORIG_EXIT_ID(POINT, id) \
    GPIORIG_LINE_OR(GPIORIG_SPAN_##POINT, 0u, gpiorig_event_id(GPIORIG_##POINT##_EXIT, (id)))

/** One event without an id; the header and its check fold to one constant. */
#define GPIORIG_EVENT(CODE) gpiorig_event(GPIORIG_##CODE)

/** One event with a 16-bit id. */
#define GPIORIG_EVENT_ID(CODE, id) gpiorig_event_id(GPIORIG_##CODE, (id))

/** Sets up the lines of the bus and the span lines, all low. Call once, before anything else here. */
void gpiorig_init(void);

/**
 * Wiring proof: data line i pulses alone i + 1 times while the strobe rests, line 0 first; then one `rig.boot` event.
 * A pulse is high for at least 1 us and low for at least 1 us; between two lines there are at least 8 us. A dead line
 * shows no pulses, two swapped lines show each other's number, two joined lines pulse together, and a dead strobe
 * loses the event. Decoders see no strobe edge in it, so no frame, and nothing damaged.
 */
void gpiorig_wiring_proof(void);

/** Calibration burst: n `rig.calibrate` events back to back, ids 0 to n - 1. Their spacing is the cost of one event. */
void gpiorig_calibrate(uint32_t n);

/** Frames sent since reset; wraps. */
uint32_t gpiorig_frames(void);

/* What the macros stand on. */

#define GPIORIG_ID_FOLLOWS 0x80u

/* Inline even under -Os, or the check of a constant code would be worked out at run time. */
#define GPIORIG_INLINE static inline __attribute__((always_inline))

/** Sends header and check: 8 + 4 bits, right-aligned. */
void gpiorig_send(uint32_t frame);

/** Sends header, id and check: `head` is the 8 + 16 + 4 bits as they would be for id 0. */
void gpiorig_send_id(uint32_t head, uint32_t id);

/** The check over a header byte (docs/line-code.md): c = rotl4(c, 1) ^ nibble, from c = 9, for two nibbles. */
GPIORIG_INLINE uint32_t gpiorig_header_check(uint32_t header)
{
    uint32_t high = header >> 4;
    uint32_t low = header & 0xfu;

    return 0x6u ^ (((high << 1) | (high >> 3)) & 0xfu) ^ low; /* 6 = rotl4(9, 2) */
}

GPIORIG_INLINE void gpiorig_event(uint32_t code)
{
    gpiorig_send(code << 4 | gpiorig_header_check(code));
}

GPIORIG_INLINE void gpiorig_event_id(uint32_t code, uint32_t id)
{
    uint32_t header = code | GPIORIG_ID_FOLLOWS;

    /* Four more rotations bring a nibble back, so for id 0 the check is that of the header. */
    gpiorig_send_id(header << 20 | gpiorig_header_check(header), id & 0xffffu);
}

#endif /* GPIORIG_OFF */
#endif
