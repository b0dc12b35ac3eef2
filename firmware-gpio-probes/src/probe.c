/**
 * Frames on the symbol bus. What a pin is, how a store looks and how long a hold is, the port knows.
 *
 * A port is one file, ports/<name>/port.h. It defines
 *     GPIORIG_PORT_WIDTH          default width of the bus; GPIORIG_WIDTH overrides it
 *     gpiorig_port_init()         the lines become outputs, low
 *     gpiorig_port_store(symbol, strobe)   shows a symbol and a strobe level, in one store
 *     gpiorig_port_hold()         after each store: keeps the symbol for the minimum hold (125 ns)
 *     gpiorig_port_quiet()        after a frame: with the code around it, no strobe edge for 500 ns
 *     gpiorig_port_lock(), gpiorig_port_unlock(state)   mask interrupts, put the mask back
 *     gpiorig_port_line_init(pin), gpiorig_port_line(pin, level)   a span line: output, low; one store
 * and, where a compiler makes too much of the loop below, GPIORIG_PORT_SHOWS_FRAMES with
 *     gpiorig_port_frame(frame), gpiorig_port_frame_id(header, id)   all symbols of a frame
 */
#ifndef GPIORIG_OFF

#include "gpiorig/probe.h"

#ifndef GPIORIG_WIDTH
#define GPIORIG_WIDTH GPIORIG_PORT_WIDTH
#endif
#if GPIORIG_WIDTH != 1 && GPIORIG_WIDTH != 2 && GPIORIG_WIDTH != 4 && GPIORIG_WIDTH != 8
#error "gpiorig: GPIORIG_WIDTH must be 1, 2, 4 or 8"
#endif

#define SYMBOL_MASK ((1u << GPIORIG_WIDTH) - 1u)
#define CHECK_BITS (GPIORIG_WIDTH == 8 ? 8 : 4)
#define SHORT_SYMBOLS ((8 + CHECK_BITS) / GPIORIG_WIDTH)
#define ID_SYMBOLS (16 / GPIORIG_WIDTH)

static uint32_t frames;

#if GPIORIG_WIDTH == 4 /* 3 or 7 symbols: the strobe rests where the last frame left it */
static uint32_t rest;
#define REST rest
#else /* an even number of symbols: it always rests low */
#define REST 0u
#endif

/** What follows the last symbol: the count, and the quiet that makes the frame end. */
static inline void finish(uint32_t state)
{
    frames++;
#if GPIORIG_WIDTH == 4
    rest ^= 1u;
#endif
    gpiorig_port_quiet();
    gpiorig_port_unlock(state);
}

#ifdef GPIORIG_PORT_SHOWS_FRAMES

__attribute__((noinline)) void gpiorig_send(uint32_t frame)
{
    uint16_t state = gpiorig_port_lock();

    gpiorig_port_frame((uint16_t)frame);
    finish(state);
}

__attribute__((noinline)) void gpiorig_send_id(uint32_t head, uint32_t id)
{
    uint16_t state = gpiorig_port_lock();

    gpiorig_port_frame_id((uint16_t)(head >> 20), (uint16_t)id); /* the header; the check is worked out on the way */
    finish(state);
}

#else

/** Eight lines carry the check as a symbol of its own, its complement in the upper half. */
static inline uint32_t widen_check(uint32_t frame)
{
#if GPIORIG_WIDTH == 8
    return (frame & ~0xfu) << 4 | (~frame & 0xfu) << 4 | (frame & 0xfu);
#else
    return frame;
#endif
}

/** Shows `count` symbols of a frame, from the one that is `from` before its end. Unrolled: no branch between them. */
#define SHOW(frame, from, count)                                                                       \
    do {                                                                                               \
        _Pragma("GCC unroll 16") for (unsigned i = 0; i < (count); i++) {                              \
            unsigned shift = ((from) - i - 1u) * GPIORIG_WIDTH;                                        \
            gpiorig_port_store(((frame) >> shift) & SYMBOL_MASK, REST ^ ((i & 1u) ^ 1u));              \
            gpiorig_port_hold();                                                                       \
        }                                                                                              \
    } while (0)

__attribute__((noinline, aligned(8))) void gpiorig_send(uint32_t frame)
{
    uint32_t wide = widen_check(frame);
    uint32_t state = gpiorig_port_lock();

    SHOW(wide, SHORT_SYMBOLS, SHORT_SYMBOLS);
    finish(state);
}

__attribute__((noinline, aligned(8))) void gpiorig_send_id(uint32_t head, uint32_t id)
{
    /* The check is linear: nibble k of the id, from the top, is rotated by 3 - k; what leaves the nibble folds back. */
    uint32_t check = (id >> 12) << 3 ^ ((id >> 8) & 0xfu) << 2 ^ ((id >> 4) & 0xfu) << 1 ^ (id & 0xfu);
    uint32_t wide = widen_check(head ^ id << 4 ^ (check & 0xfu) ^ check >> 4);
    uint32_t state = gpiorig_port_lock();

    SHOW(wide, SHORT_SYMBOLS + ID_SYMBOLS, ID_SYMBOLS); /* an even number of symbols */
    SHOW(wide, SHORT_SYMBOLS, SHORT_SYMBOLS);
    finish(state);
}

#endif

#define INIT_LINE(pin)                       \
    if ((pin) != GPIORIG_NO_PIN) {           \
        gpiorig_port_line_init(pin);         \
    }

void gpiorig_init(void)
{
    gpiorig_port_init();
    GPIORIG_SPAN_PINS(INIT_LINE)
}

static void pause(unsigned quiets)
{
    while (quiets-- != 0) {
        gpiorig_port_quiet();
    }
}

void gpiorig_wiring_proof(void)
{
    uint32_t strobe = REST;

    for (unsigned line = 0; line < GPIORIG_WIDTH; line++) {
        for (unsigned pulse = 0; pulse <= line; pulse++) {
            gpiorig_port_store(1u << line, strobe);
            pause(5);
            gpiorig_port_store(0, strobe);
            pause(5);
        }
        pause(40);
    }
    GPIORIG_EVENT(RIG_BOOT);
}

void gpiorig_calibrate(uint32_t n)
{
    for (uint32_t id = 0; id < n; id++) {
        GPIORIG_EVENT_ID(RIG_CALIBRATE, id);
    }
}

uint32_t gpiorig_frames(void)
{
    return frames;
}

#else
typedef int gpiorig_is_off; /* ISO C wants a declaration in every file */
#endif
