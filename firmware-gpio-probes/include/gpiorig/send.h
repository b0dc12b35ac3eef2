/** What the macros of probe.h stand on; included by it. */
#ifndef GPIORIG_SEND_H
#define GPIORIG_SEND_H

/** Whether there is a bus or a log to tell an event to. */
#define GPIORIG_TAKES_EVENTS (GPIORIG_WIDTH != 0 || GPIORIG_NOTES)

/** Marks in the image, not on the target, that an event is emitted from here: read by `gpiorig firmware check`. */
#ifdef __ELF__
#if defined __clang__ || __GNUC__ >= 9
#define GPIORIG_ASM_INLINE __asm__ inline volatile /* counts as the smallest size, so that inlining stays unchanged */
#else
#define GPIORIG_ASM_INLINE __asm__ volatile
#endif
#define GPIORIG_MARK(code)                                                                                            \
    GPIORIG_ASM_INLINE("1:\n\t.pushsection .debug_gpiorig,\"\",%%progbits\n\t.4byte 1b\n\t.2byte %c0\n\t.popsection" \
                            :                                                                                         \
                            : "i"(code))
#else
#define GPIORIG_MARK(code) ((void)0)
#endif

/* Masks and pins are constants, so what is left of these is one of their branches, or nothing. */
#define GPIORIG_IF(built, code, event) \
    do {                               \
        if ((built) != 0) {            \
            GPIORIG_MARK(code);        \
            event;                     \
        }                              \
    } while (0)

#define GPIORIG_END(built, pin, level, code) \
    GPIORIG_IF(built, code, GPIORIG_LINE_OR(pin, level, gpiorig_note(code), gpiorig_event(code)))
#define GPIORIG_END_ID(built, pin, level, code, id) \
    GPIORIG_IF(built, code, GPIORIG_LINE_OR(pin, level, gpiorig_note_id((code), (id)), gpiorig_event_id((code), (id))))

#define GPIORIG_LINE_OR(pin, level, note, event)                \
    do {                                                        \
        if (GPIORIG_PINS && (pin) != GPIORIG_NO_PIN) {          \
            GPIORIG_LINE_NOTED((unsigned)(pin), (level), note); \
        } else {                                                \
            event;                                              \
        }                                                       \
    } while (0)

#if GPIORIG_NOTES
/* The log has the events in the order of the pins, so no interrupt comes between the two. */
#define GPIORIG_LINE_NOTED(pin, level, note)          \
    do {                                              \
        unsigned gpiorig_state = gpiorig_port_lock(); \
        gpiorig_line((pin), (level));                 \
        note;                                         \
        gpiorig_port_unlock(gpiorig_state);           \
    } while (0)
#else
#define GPIORIG_LINE_NOTED(pin, level, note) gpiorig_line((pin), (level))
#endif

/** Bit code % 8 of byte code / 8 is set while the event is enabled. Volatile: one load and one test per event. */
extern volatile uint8_t gpiorig_mask[16];

/** Group of each code, of enum gpiorig_group. */
extern const uint8_t gpiorig_groups[GPIORIG_CODES];

GPIORIG_INLINE bool gpiorig_enabled(uint32_t code)
{
    return (gpiorig_mask[code >> 3] & 1u << (code & 7u)) != 0;
}

/** Where events go. In the doubled variant each goes a second way too, on which nothing shows. */
struct gpiorig_way {
#if GPIORIG_WIDTH != 0
    gpiorig_place place;
#endif
    uint32_t frames; /* so far */
    unsigned rest;   /* level of the strobe between frames */
    unsigned pass;   /* SEEN or UNSEEN */
};
enum { GPIORIG_SEEN, GPIORIG_UNSEEN };
extern struct gpiorig_way gpiorig_seen;

/**
 * gpiorig_send() takes header and check: 8 + 4 bits, right-aligned. gpiorig_send_id() takes header, id and check:
 * `head` is the 8 + 16 + 4 bits as they would be for id 0. The doubled variant runs the same code twice, so that a
 * cache sees one copy of it; where the port shows frames in assembly, there are two.
 */
#if defined GPIORIG_VARIANT_DOUBLED && !defined GPIORIG_PORT_SHOWS_FRAMES
extern struct gpiorig_way gpiorig_unseen;
void gpiorig_send_on(uint32_t frame, struct gpiorig_way *way);
void gpiorig_send_id_on(uint32_t head, uint32_t id, struct gpiorig_way *way);
#define gpiorig_send(frame) gpiorig_send_on((frame), &gpiorig_seen)
#define gpiorig_send_id(head, id) gpiorig_send_id_on((head), (id), &gpiorig_seen)
#define gpiorig_send_unseen(frame) gpiorig_send_on((frame), &gpiorig_unseen)
#define gpiorig_send_id_unseen(head, id) gpiorig_send_id_on((head), (id), &gpiorig_unseen)
#else
void gpiorig_send(uint32_t frame);
void gpiorig_send_id(uint32_t head, uint32_t id);
void gpiorig_send_unseen(uint32_t frame);
void gpiorig_send_id_unseen(uint32_t head, uint32_t id);
#endif

/** Log and self-test; with interrupts masked. */
void gpiorig_take_note(uint32_t header, uint32_t id, unsigned pass);

/** The check over a header byte (docs/reference/line-code.md): c = rotl4(c, 1) ^ nibble, from c = 9, for two nibbles. */
GPIORIG_INLINE uint32_t gpiorig_header_check(uint32_t header)
{
    uint32_t high = header >> 4;
    uint32_t low = header & 0xfu;

    return 0x6u ^ (((high << 1) | (high >> 3)) & 0xfu) ^ low; /* 6 = rotl4(9, 2) */
}

GPIORIG_INLINE void gpiorig_event(uint32_t code)
{
#if GPIORIG_TAKES_EVENTS
    uint32_t frame = code << 4 | gpiorig_header_check(code);

    if (gpiorig_enabled(code)) {
        gpiorig_send(frame);
    }
#ifdef GPIORIG_VARIANT_DOUBLED
    if (gpiorig_enabled(code)) {
        gpiorig_send_unseen(frame);
    }
#endif
#else
    (void)code;
#endif
}

GPIORIG_INLINE void gpiorig_event_id(uint32_t code, uint32_t id)
{
#if GPIORIG_TAKES_EVENTS
    uint32_t header = code | GPIORIG_ID_FOLLOWS;
    /* Four more rotations bring a nibble back, so for id 0 the check is that of the header. */
    uint32_t head = header << 20 | gpiorig_header_check(header);

    if (gpiorig_enabled(code)) {
        gpiorig_send_id(head, id & 0xffffu);
    }
#ifdef GPIORIG_VARIANT_DOUBLED
    if (gpiorig_enabled(code)) {
        gpiorig_send_id_unseen(head, id & 0xffffu);
    }
#endif
#else
    (void)code;
    (void)id;
#endif
}

#if GPIORIG_NOTES
GPIORIG_INLINE void gpiorig_note(uint32_t code)
{
    if (gpiorig_enabled(code)) {
        gpiorig_take_note(code, 0, GPIORIG_SEEN);
    }
#ifdef GPIORIG_VARIANT_DOUBLED
    if (gpiorig_enabled(code)) {
        gpiorig_take_note(code, 0, GPIORIG_UNSEEN);
    }
#endif
}

GPIORIG_INLINE void gpiorig_note_id(uint32_t code, uint32_t id)
{
    if (gpiorig_enabled(code)) {
        gpiorig_take_note(code | GPIORIG_ID_FOLLOWS, id & 0xffffu, GPIORIG_SEEN);
    }
#ifdef GPIORIG_VARIANT_DOUBLED
    if (gpiorig_enabled(code)) {
        gpiorig_take_note(code | GPIORIG_ID_FOLLOWS, id & 0xffffu, GPIORIG_UNSEEN);
    }
#endif
}
#endif

/** A span line: one store; in the doubled variant a second one that changes nothing. */
GPIORIG_INLINE void gpiorig_line(unsigned pin, unsigned level)
{
#ifdef GPIORIG_VARIANT_EMPTY
    __asm__ volatile("" : : "r"(pin), "r"(level)); /* worked out, and not stored */
#else
    gpiorig_port_line(pin, level);
#endif
#ifdef GPIORIG_VARIANT_DOUBLED
    gpiorig_port_line_unseen(pin, level);
#endif
}

#endif
