/**
 * Frames on the symbol bus. What a pin is, how a store looks and how long a hold is, the port knows.
 *
 * A port is one file, ports/<name>/port.h. It defines
 *     GPIORIG_PORT_WIDTH          default width of the bus; GPIORIG_WIDTH overrides it
 *     GPIORIG_STROBE, GPIORIG_D0 to GPIORIG_D7   the pins of the bus, so many as it can have
 *     GPIORIG_PORT_RESERVED(X, ...)   the pins that are not free (src/pins.h)
 *     gpiorig_port_init()         the lines of the bus become outputs, low
 *     gpiorig_port_pins(symbol, strobe)   what a store is given to show these
 *     gpiorig_port_store(pins)    shows them, in one store
 *     gpiorig_port_store_unseen(pins)     takes as long and changes no line (doubled variant)
 *     gpiorig_port_hold()         after each store: keeps the symbol for the minimum hold (125 ns)
 *     gpiorig_port_quiet()        after a frame: with the code around it, no strobe edge for 500 ns
 *     gpiorig_port_lock(), gpiorig_port_unlock(state)   mask interrupts, put the mask back
 *     gpiorig_port_line_init(pin), gpiorig_port_line(pin, level), gpiorig_port_line_unseen(pin, level)
 *                                 a span line: output, low; one store; one that changes no line
 * and, where a compiler makes too much of the loop below, GPIORIG_PORT_SHOWS_FRAMES with
 *     gpiorig_port_frame(frame), gpiorig_port_frame_id(header, id), and the same with _unseen   all symbols of a frame
 */
#include "gpiorig/probe.h"

#ifdef GPIORIG_OFF
typedef int gpiorig_is_off; /* ISO C wants a declaration in every file */
#else

#include "pins.h"

#ifdef GPIORIG_PORT_HAS_UNSEEN
volatile uint8_t gpiorig_unseen;
#endif

#if GPIORIG_TAKES_EVENTS

/** Whether what is done shows: the doubled variant does everything once more, unseen. */
enum pass { SEEN, UNSEEN };

static inline void take_note(uint32_t header, uint32_t id, enum pass pass)
{
#if !GPIORIG_NOTES
    (void)header;
    (void)id;
    (void)pass;
#elif defined GPIORIG_VARIANT_DOUBLED
    (pass == SEEN ? gpiorig_take_note : gpiorig_take_note_unseen)(header, id);
#else
    (void)pass;
    gpiorig_take_note(header, id);
#endif
}

#if GPIORIG_WIDTH != 0

#define SYMBOL_MASK ((1u << GPIORIG_WIDTH) - 1u)
#define CHECK_BITS (GPIORIG_WIDTH == 8 ? 8 : 4)
#define SHORT_SYMBOLS ((8 + CHECK_BITS) / GPIORIG_WIDTH)
#define ID_SYMBOLS (16 / GPIORIG_WIDTH)

static uint32_t frames[2]; /* by pass */

#if GPIORIG_WIDTH == 4 /* 3 or 7 symbols: the strobe rests where the last frame left it */
static unsigned rest[2]; /* by pass */
#define REST rest[pass]
#else /* an even number of symbols: it always rests low */
#define REST 0u
#endif

/** What follows the last symbol: the count, and the quiet that makes the frame end. */
static inline void finish(unsigned state, enum pass pass)
{
    frames[pass]++;
#if GPIORIG_WIDTH == 4
    rest[pass] ^= 1u;
#endif
    gpiorig_port_quiet();
    gpiorig_port_unlock(state);
}

static inline void show(uint32_t symbol, unsigned strobe, enum pass pass)
{
    unsigned pins = gpiorig_port_pins((unsigned)symbol, strobe);

#ifdef GPIORIG_VARIANT_EMPTY
    (void)pass;
    __asm__ volatile("" : : "r"(pins)); /* worked out, and not stored */
#else
    if (pass == SEEN) {
        gpiorig_port_store(pins);
    } else {
        gpiorig_port_store_unseen(pins);
    }
#endif
}

#ifdef GPIORIG_PORT_SHOWS_FRAMES

GPIORIG_INLINE void send(uint32_t frame, enum pass pass)
{
    unsigned state = gpiorig_port_lock();

    take_note(frame >> 4, 0, pass);
    if (pass == SEEN) {
        gpiorig_port_frame((uint16_t)frame);
    } else {
        gpiorig_port_frame_unseen((uint16_t)frame);
    }
    finish(state, pass);
}

GPIORIG_INLINE void send_id(uint32_t head, uint32_t id, enum pass pass)
{
    unsigned state = gpiorig_port_lock();

    take_note(head >> 20, id, pass);
    if (pass == SEEN) {
        gpiorig_port_frame_id((uint16_t)(head >> 20), (uint16_t)id); /* the header; the check is worked out on the way */
    } else {
        gpiorig_port_frame_id_unseen((uint16_t)(head >> 20), (uint16_t)id);
    }
    finish(state, pass);
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
            show(((frame) >> shift) & SYMBOL_MASK, REST ^ ((i & 1u) ^ 1u), pass);                      \
            gpiorig_port_hold();                                                                       \
        }                                                                                              \
    } while (0)

GPIORIG_INLINE void send(uint32_t frame, enum pass pass)
{
    uint32_t wide = widen_check(frame);
    unsigned state = gpiorig_port_lock();

    take_note(frame >> 4, 0, pass);
    SHOW(wide, SHORT_SYMBOLS, SHORT_SYMBOLS);
    finish(state, pass);
}

GPIORIG_INLINE void send_id(uint32_t head, uint32_t id, enum pass pass)
{
    /* The check is linear: nibble k of the id, from the top, is rotated by 3 - k; what leaves the nibble folds back. */
    uint32_t check = (id >> 12) << 3 ^ ((id >> 8) & 0xfu) << 2 ^ ((id >> 4) & 0xfu) << 1 ^ (id & 0xfu);
    uint32_t wide = widen_check(head ^ id << 4 ^ (check & 0xfu) ^ check >> 4);
    unsigned state = gpiorig_port_lock();

    take_note(head >> 20, id, pass);
    SHOW(wide, SHORT_SYMBOLS + ID_SYMBOLS, ID_SYMBOLS); /* an even number of symbols */
    SHOW(wide, SHORT_SYMBOLS, SHORT_SYMBOLS);
    finish(state, pass);
}

#endif

#else /* no bus */

GPIORIG_INLINE void send(uint32_t frame, enum pass pass)
{
    unsigned state = gpiorig_port_lock();

    take_note(frame >> 4, 0, pass);
    gpiorig_port_unlock(state);
}

GPIORIG_INLINE void send_id(uint32_t head, uint32_t id, enum pass pass)
{
    unsigned state = gpiorig_port_lock();

    take_note(head >> 20, id, pass);
    gpiorig_port_unlock(state);
}

#endif

#define OUTSIDE __attribute__((noinline, aligned(8)))

OUTSIDE void gpiorig_send(uint32_t frame)
{
    send(frame, SEEN);
}

OUTSIDE void gpiorig_send_id(uint32_t head, uint32_t id)
{
    send_id(head, id, SEEN);
}

#ifdef GPIORIG_VARIANT_DOUBLED
OUTSIDE void gpiorig_send_unseen(uint32_t frame)
{
    send(frame, UNSEEN);
}

OUTSIDE void gpiorig_send_id_unseen(uint32_t head, uint32_t id)
{
    send_id(head, id, UNSEEN);
}
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
    const enum pass pass = SEEN;
    unsigned strobe = REST;

    for (unsigned line = 0; line < GPIORIG_WIDTH; line++) {
        for (unsigned pulse = 0; pulse <= line; pulse++) {
            show(1u << line, strobe, pass);
            pause(5);
            show(0, strobe, pass);
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

void gpiorig_calibrate(uint32_t n)
{
    for (uint32_t id = 0; id < n; id++) {
        GPIORIG_EVENT_ID(RIG_CALIBRATE, id);
    }
}

void gpiorig_heartbeat(void)
{
    static uint16_t beats;

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
    return frames[SEEN];
#endif
}

#endif
