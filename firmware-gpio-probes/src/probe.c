/**
 * Frames on the symbol bus. What a pin is, how a store looks and how long a hold is, the port knows.
 *
 * A port is one file, ports/<name>/port.h. It defines
 *     GPIORIG_PORT_WIDTH          default width of the bus; GPIORIG_WIDTH overrides it
 *     GPIORIG_STROBE, GPIORIG_D0 to GPIORIG_D7   the pins of the bus, so many as it can have
 *     GPIORIG_PORT_RESERVED(X, ...)   the pins that are not free (src/pins.h)
 *     gpiorig_port_init()         the lines of the bus become outputs, low
 *     gpiorig_port_pins(symbol, strobe)   what a store is given to show these: GPIORIG_SPREAD(symbol) and the rest
 *     gpiorig_place, GPIORIG_PORT_SEEN, GPIORIG_PORT_UNSEEN   where stores go: to the pins; where they change none
 *     gpiorig_port_store(place, pins)     one store
 *     gpiorig_port_hold()         between two stores: keeps the symbol for the hold (GPIORIG_HOLD_NS)
 *     gpiorig_port_quiet()        after the last store: with the code around it, no strobe edge for the frame gap and more
 *     gpiorig_port_lock(), gpiorig_port_unlock(state)   mask interrupts, put the mask back
 *     gpiorig_port_line_init(pin), gpiorig_port_line(pin, level), gpiorig_port_line_unseen(pin, level)
 *                                 a span line: output, low; one store; one that changes no line
 * and, where a hold counts on the cycles that a symbol takes,
 *     GPIORIG_HERE(value)         the value is in a register here; what follows from it is worked out after this
 * and, where a compiler makes too much of the loop below, GPIORIG_PORT_SHOWS_FRAMES with
 *     gpiorig_port_frame(frame), gpiorig_port_frame_id(header, id), and the same with _unseen   all symbols of a frame
 */
#include "gpiorig/probe.h"

#ifdef GPIORIG_OFF
typedef int gpiorig_is_off; /* ISO C wants a declaration in every file */
#else

#include "pins.h"

#ifdef GPIORIG_PORT_HAS_NOWHERE
volatile uint8_t gpiorig_nowhere;
#endif

#if GPIORIG_TAKES_EVENTS

#if GPIORIG_WIDTH != 0
struct gpiorig_way gpiorig_seen = { .place = GPIORIG_PORT_SEEN, .pass = GPIORIG_SEEN };
#ifdef GPIORIG_VARIANT_DOUBLED
struct gpiorig_way gpiorig_unseen = { .place = GPIORIG_PORT_UNSEEN, .pass = GPIORIG_UNSEEN };
#endif
#else
struct gpiorig_way gpiorig_seen = { .pass = GPIORIG_SEEN };
#ifdef GPIORIG_VARIANT_DOUBLED
struct gpiorig_way gpiorig_unseen = { .pass = GPIORIG_UNSEEN };
#endif
#endif

/* Constants, where there is one way only. */
#ifdef GPIORIG_VARIANT_DOUBLED
#define PLACE(way) (way)->place
#define PASS(way) (way)->pass
#else
#define PLACE(way) GPIORIG_PORT_SEEN
#define PASS(way) GPIORIG_SEEN
#endif

static inline void take_note(uint32_t header, uint32_t id, const struct gpiorig_way *way)
{
    (void)way;
#if GPIORIG_NOTES
    gpiorig_take_note(header, id, PASS(way));
#else
    (void)header;
    (void)id;
#endif
}

#if GPIORIG_WIDTH != 0

#define SYMBOL_MASK ((1u << GPIORIG_WIDTH) - 1u)
#define CHECK_BITS (GPIORIG_WIDTH == 8 ? 8 : 4)
#define SHORT_SYMBOLS ((8 + CHECK_BITS) / GPIORIG_WIDTH)
#define ID_SYMBOLS (16 / GPIORIG_WIDTH)

#if GPIORIG_WIDTH == 4 /* 3 or 7 symbols: the strobe rests where the last frame left it */
#define REST(way) (way)->rest
#else /* an even number of symbols: it always rests low */
#define REST(way) 0u
#endif

/** What follows the last symbol: the count, and the quiet that makes the frame end. */
static inline void finish(unsigned state, struct gpiorig_way *way)
{
    way->frames++;
#if GPIORIG_WIDTH == 4
    way->rest ^= 1u;
#endif
    gpiorig_port_quiet();
    gpiorig_port_unlock(state);
}

static inline void show(unsigned pins, gpiorig_place place)
{
#ifdef GPIORIG_VARIANT_EMPTY
    (void)place;
    __asm__ volatile("" : : "r"(pins)); /* worked out, and not stored */
#else
    gpiorig_port_store(place, pins);
#endif
}

#ifdef GPIORIG_PORT_SHOWS_FRAMES

GPIORIG_INLINE void send(uint32_t frame, struct gpiorig_way *way)
{
    unsigned state = gpiorig_port_lock();

    take_note(frame >> 4, 0, way);
    if (way == &gpiorig_seen) {
        gpiorig_port_frame((uint16_t)frame);
    } else {
        gpiorig_port_frame_unseen((uint16_t)frame);
    }
    finish(state, way);
}

GPIORIG_INLINE void send_id(uint32_t head, uint32_t id, struct gpiorig_way *way)
{
    uint16_t header = (uint16_t)(head >> 20);
    unsigned state = gpiorig_port_lock();

    take_note(header, id, way);
    if (way == &gpiorig_seen) {
        gpiorig_port_frame_id(header, (uint16_t)id); /* the check is worked out on the way */
    } else {
        gpiorig_port_frame_id_unseen(header, (uint16_t)id);
    }
    finish(state, way);
}

#else

#ifndef GPIORIG_HERE
#define GPIORIG_HERE(value) ((void)0)
#endif

/** Eight lines carry the check as a symbol of its own, its complement in the upper half. */
static inline uint32_t widen_check(uint32_t frame)
{
#if GPIORIG_WIDTH == 8
    return (frame & ~0xfu) << 4 | (~frame & 0xfu) << 4 | (frame & 0xfu);
#else
    return frame;
#endif
}

/** Shows the `count` symbols of a frame. Unrolled: no branch between them. */
#define SHOW(frame, count)                                                       \
    do {                                                                         \
        unsigned base = gpiorig_port_pins(0, REST(way) ^ 1u);                    \
        GPIORIG_HERE(place);                                                     \
        _Pragma("GCC unroll 32") for (unsigned i = 0; i < (count); i++) {        \
            unsigned symbol;                                                     \
            GPIORIG_HERE(frame);                                                 \
            symbol = (frame) >> ((count) - i - 1u) * GPIORIG_WIDTH & SYMBOL_MASK; \
            GPIORIG_HERE(symbol);                                                \
            show(base | GPIORIG_SPREAD(symbol), place);                          \
            GPIORIG_HERE(base);                                                  \
            base ^= GPIORIG_BIT(GPIORIG_STROBE);                                 \
            if (i + 1u < (count)) {                                              \
                gpiorig_port_hold();                                             \
            }                                                                    \
        }                                                                        \
    } while (0)

GPIORIG_INLINE void send(uint32_t frame, struct gpiorig_way *way)
{
    uint32_t wide = widen_check(frame);
    gpiorig_place place = PLACE(way);
    unsigned state = gpiorig_port_lock();

    take_note(frame >> 4, 0, way);
    SHOW(wide, SHORT_SYMBOLS);
    finish(state, way);
}

GPIORIG_INLINE void send_id(uint32_t head, uint32_t id, struct gpiorig_way *way)
{
    /*
     * The check is linear: nibble k of the id, from the top, is rotated by 3 - k; what leaves the nibble folds back.
     * Here by 1 within each byte, by 2 between the bytes.
     */
    uint32_t bytes = (id & 0x0f0fu) ^ (id & 0xf0f0u) >> 3;
    uint32_t check = bytes ^ bytes >> 6;
    uint32_t wide = widen_check(head ^ id << 4 ^ ((check ^ check >> 4) & 0xfu));
    gpiorig_place place = PLACE(way);
    unsigned state = gpiorig_port_lock();

    take_note(head >> 20, id, way);
    SHOW(wide, ID_SYMBOLS + SHORT_SYMBOLS);
    finish(state, way);
}

#endif

#else /* no bus */

GPIORIG_INLINE void send(uint32_t frame, struct gpiorig_way *way)
{
    unsigned state = gpiorig_port_lock();

    take_note(frame >> 4, 0, way);
    gpiorig_port_unlock(state);
}

GPIORIG_INLINE void send_id(uint32_t head, uint32_t id, struct gpiorig_way *way)
{
    unsigned state = gpiorig_port_lock();

    take_note(head >> 20, id, way);
    gpiorig_port_unlock(state);
}

#endif

#define OUTSIDE __attribute__((noinline, aligned(8)))

#if defined GPIORIG_VARIANT_DOUBLED && !defined GPIORIG_PORT_SHOWS_FRAMES

OUTSIDE void gpiorig_send_on(uint32_t frame, struct gpiorig_way *way)
{
    send(frame, way);
}

OUTSIDE void gpiorig_send_id_on(uint32_t head, uint32_t id, struct gpiorig_way *way)
{
    send_id(head, id, way);
}

#else

OUTSIDE void gpiorig_send(uint32_t frame)
{
    send(frame, &gpiorig_seen);
}

OUTSIDE void gpiorig_send_id(uint32_t head, uint32_t id)
{
    send_id(head, id, &gpiorig_seen);
}

#ifdef GPIORIG_VARIANT_DOUBLED
OUTSIDE void gpiorig_send_unseen(uint32_t frame)
{
    send(frame, &gpiorig_unseen);
}

OUTSIDE void gpiorig_send_id_unseen(uint32_t head, uint32_t id)
{
    send_id(head, id, &gpiorig_unseen);
}
#endif

#endif

#endif /* GPIORIG_TAKES_EVENTS */

#define INIT_LINE(number, name, pin, ...)                                                \
    if ((number) >= GPIORIG_FIRST_OWN_LINE && GPIORIG_PINS && (pin) != GPIORIG_NO_PIN) { \
        gpiorig_port_line_init((unsigned)(pin));                                         \
    }

void gpiorig_init(void)
{
#if GPIORIG_WIDTH != 0
    gpiorig_port_init();
#endif
    GPIORIG_LINES(INIT_LINE, 0)
    gpiorig_enable_all(true);
}

/* The variant, as a symbol that the image keeps: read by `gpiorig firmware check`. */
#if defined GPIORIG_VARIANT_EMPTY
void gpiorig_variant_empty(void) __attribute__((alias("gpiorig_init")));
#elif defined GPIORIG_VARIANT_DOUBLED
void gpiorig_variant_doubled(void) __attribute__((alias("gpiorig_init")));
#else
void gpiorig_variant_normal(void) __attribute__((alias("gpiorig_init")));
#endif

#if GPIORIG_WIDTH != 0
static void pause(unsigned quiets)
{
    while (quiets-- != 0) {
        gpiorig_port_quiet();
    }
}

static void pulse_lines(void)
{
    unsigned strobe = REST(&gpiorig_seen);

    for (unsigned line = 0; line < GPIORIG_WIDTH; line++) {
        for (unsigned pulse = 0; pulse <= line; pulse++) {
            show(gpiorig_port_pins(1u << line, strobe), GPIORIG_PORT_SEEN);
            pause(5);
            show(gpiorig_port_pins(0, strobe), GPIORIG_PORT_SEEN);
            pause(5);
        }
        pause(40);
    }
}
#endif

void gpiorig_wiring_proof(void)
{
#if GPIORIG_WIDTH != 0
    pulse_lines();
#endif
    GPIORIG_EVENT(RIG_BOOT);
}

void gpiorig_rest(void)
{
#if GPIORIG_WIDTH != 0
    show(gpiorig_port_pins(0, REST(&gpiorig_seen)), GPIORIG_PORT_SEEN);
    pause(40);
#endif
}

void gpiorig_calibrate(uint32_t n)
{
    for (uint32_t id = 0; id < n; id++) {
        GPIORIG_EVENT_ID(RIG_CALIBRATE, id);
    }
}

static uint16_t beats;

void gpiorig_heartbeat(void)
{
    GPIORIG_EVENT_ID(RIG_HEARTBEAT, beats);
    beats++;
#if GPIORIG_PINS && GPIORIG_HEARTBEAT_LINE != GPIORIG_NO_PIN
    gpiorig_line((unsigned)GPIORIG_HEARTBEAT_LINE, beats & 1u);
#endif
}

uint32_t gpiorig_frames(void)
{
#if GPIORIG_WIDTH == 0 || defined GPIORIG_VARIANT_EMPTY
    return 0;
#else
    return gpiorig_seen.frames;
#endif
}

#endif
