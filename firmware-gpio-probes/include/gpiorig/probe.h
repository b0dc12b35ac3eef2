/**
 * gpiorig probe library: tells a logic analyzer what firmware does (docs/reference/line-code.md).
 *
 * Build with -DGPIORIG_PORT=<folder under ports/> and -I for include/ and ports/; the C files of src/, with -O2. What
 * else can be chosen is listed in gpiorig/options.h; -DGPIORIG_OFF makes every call vanish.
 *
 * Points are named as in events.toml, upper case with underscores:
 *     GPIORIG_EVENT(RIG_BOOT);  GPIORIG_ENTER(ISR_RADIO);  GPIORIG_EXIT_ID(APP_TX, sequence);
 *
 * A point can have a line of its own, high from its enter to its exit, for the price of one store:
 *     -DGPIORIG_SPAN_ISR_RADIO='GPIORIG_PIN_A(3)'
 * Then its enter and exit are not sent on the bus, and an id given with them does not leave the node on the pins.
 *
 * All calls may be made from any context: a frame is sent with interrupts masked, and the mask is put back as it was.
 */
#ifndef GPIORIG_PROBE_H
#define GPIORIG_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpiorig/events.h"
#include "gpiorig/options.h"

/** One event of the log, 8 bytes. */
struct gpiorig_record {
    uint32_t time;  /* gpiorig_now() */
    uint16_t id;    /* 0 without one */
    uint8_t header; /* the code; bit 7: an id goes with it */
    uint8_t number; /* of the event since reset, modulo 256: a step greater than 1 means that records are missing */
};

#define GPIORIG_ID_FOLLOWS 0x80u

/** What gpiorig_log_line() needs for the longest line it makes, its end included. */
#define GPIORIG_LOG_LINE 140u

/** Name of an event as in events.toml; "?" for a code without one. Costs its table only where it is called. */
const char *gpiorig_name(uint8_t code);

#ifdef GPIORIG_OFF
#include "gpiorig/off.h"
#else

#include "gpiorig/points.h"

/* Names are pasted here, at the first level: further down a macro of the firmware's could replace them. */

/** One event without an id; the header and its check fold to one constant. */
#define GPIORIG_EVENT(POINT) GPIORIG_IF(GPIORIG_MASK_##POINT, GPIORIG_##POINT, gpiorig_event(GPIORIG_##POINT))

/** One event with a 16-bit id. */
#define GPIORIG_EVENT_ID(POINT, id) \
    GPIORIG_IF(GPIORIG_MASK_##POINT, GPIORIG_##POINT, gpiorig_event_id(GPIORIG_##POINT, (id)))

/** The two ends of a span. */
#define GPIORIG_ENTER(POINT) GPIORIG_END(GPIORIG_MASK_##POINT, GPIORIG_SPAN_##POINT, 1u, GPIORIG_##POINT##_ENTER)
#define GPIORIG_EXIT(POINT) GPIORIG_END(GPIORIG_MASK_##POINT, GPIORIG_SPAN_##POINT, 0u, GPIORIG_##POINT##_EXIT)
#define GPIORIG_ENTER_ID(POINT, id) \
    GPIORIG_END_ID(GPIORIG_MASK_##POINT, GPIORIG_SPAN_##POINT, 1u, GPIORIG_##POINT##_ENTER, (id))
#define GPIORIG_EXIT_ID(POINT, id) \
    GPIORIG_END_ID(GPIORIG_MASK_##POINT, GPIORIG_SPAN_##POINT, 0u, GPIORIG_##POINT##_EXIT, (id))

/**
 * The same where the code is not a constant: 1 to 127. Such an event has no span line, and no mask at build time; to
 * let `gpiorig firmware check` find it in the image, write GPIORIG_MARK(code) next to it for each code it can have.
 */
GPIORIG_INLINE void gpiorig_event(uint32_t code);
GPIORIG_INLINE void gpiorig_event_id(uint32_t code, uint32_t id);

/** Sets up the lines, all low, and enables all events: before that, none gets out. Call once, before anything else. */
void gpiorig_init(void);

/**
 * Wiring proof: data line i pulses alone i + 1 times while the strobe rests, line 0 first; then one `rig.boot` event.
 * A pulse is high for at least 1 us and low for at least 1 us; between two lines there are at least 8 us. A dead line
 * shows no pulses, two swapped lines show each other's number, two joined lines pulse together, and a dead strobe
 * loses the event. Decoders see no strobe edge in it, so no frame, and nothing damaged.
 */
void gpiorig_wiring_proof(void);

/** Data lines low, as after reset: a frame leaves them as its last symbol was. Before a wiring proof that is not at boot. */
void gpiorig_rest(void);

/** Calibration burst: n `rig.calibrate` events back to back, ids 0 to n - 1. Their spacing is the cost of one event. */
void gpiorig_calibrate(uint32_t n);

/** Sign of life: `rig.heartbeat`, the id counts up from 0; the line of -DGPIORIG_HEARTBEAT_LINE, if any, changes. */
void gpiorig_heartbeat(void);

/** Frames shown on the bus since reset; wraps. */
uint32_t gpiorig_frames(void);

/* The mask at run time: one bit an event. From any context. A span line does not ask it: its store is cheaper. */

void gpiorig_enable(uint8_t code, bool on);
void gpiorig_enable_all(bool on);

/** Groups: GPIORIG_GROUP_SCHED and so on, the first parts of the names in events.toml. */
void gpiorig_enable_group(enum gpiorig_group group, bool on);

/* The log: -DGPIORIG_LOG=RECORDS. The firmware gives the time. */

#if GPIORIG_LOG
/** The node's own timer, in its own unit, wrapping at 2^32. Called for every event, with interrupts masked. */
uint32_t gpiorig_now(void);

/** Takes the oldest record; false when there is none. One reader only, in any context. */
bool gpiorig_log_read(struct gpiorig_record *record);

/** Events that found the ring full, since reset: the newest are lost, what is in the ring stays. */
uint32_t gpiorig_log_lost(void);

/**
 * Takes as many records as a line holds and writes them as text, without a newline: `log lost=00000000 NNHHTTTTTTTT
 * ...`, all hexadecimal: events lost so far, then number, header, id if there is one, and time of each record.
 * Returns its length, 0 when there was no record.
 */
unsigned gpiorig_log_line(char text[GPIORIG_LOG_LINE]);
#else
GPIORIG_INLINE bool gpiorig_log_read(struct gpiorig_record *record)
{
    (void)record;
    return false;
}
GPIORIG_INLINE uint32_t gpiorig_log_lost(void)
{
    return 0;
}
GPIORIG_INLINE unsigned gpiorig_log_line(char *text)
{
    *text = '\0';
    return 0;
}
#endif

/* The self-test: -DGPIORIG_SELFTEST. A masked event does not count. */

#ifdef GPIORIG_SELFTEST
/** Every event counts from here, from 0. */
void gpiorig_selftest_begin(void);

/** Calls `missing`, unless it is NULL, for each of the n expected codes that did not come; returns how many. */
unsigned gpiorig_selftest_end(const uint8_t *expected, unsigned n, void (*missing)(uint8_t code));

/** How often the event came since gpiorig_selftest_begin(); 65535 is that or more. */
uint16_t gpiorig_selftest_count(uint8_t code);
#endif

#include "gpiorig/send.h"

#endif /* GPIORIG_OFF */
#endif
