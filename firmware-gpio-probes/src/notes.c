/**
 * The other takers of events: the log, a ring in RAM, and the counts of the self-test. Events come with interrupts
 * masked.
 *
 * The ring has one writer at a time (interrupts are masked) and one reader. Each side stores its own index only,
 * after the record, so neither waits for the other. When the ring is full the newest event is lost and counted: what
 * is in the ring stays, and a reader never sees a record change.
 */
#include "gpiorig/probe.h"

#if !GPIORIG_NOTES
typedef int gpiorig_no_notes; /* ISO C wants a declaration in every file */
#else

/* Arrays by pass: the doubled variant notes everything once more, into memory that is not read. */

#if GPIORIG_LOG
static volatile struct gpiorig_record ring[GPIORIG_LOG];
static volatile struct gpiorig_record unread;
static volatile uint16_t tail; /* records read */
static struct {
    volatile uint16_t head; /* records written */
    uint32_t lost;
    uint8_t number; /* of the next event */
} written[2]; /* by pass */

#define INDEX(count) ((count) & (uint16_t)((GPIORIG_LOG) - 1))
#endif

#ifdef GPIORIG_SELFTEST
static uint16_t counts[2][128]; /* by pass and code */
#endif

void gpiorig_take_note(uint32_t header, uint32_t id, unsigned pass)
{
#ifdef GPIORIG_SELFTEST
    uint16_t *count = &counts[pass][header & 127u];

    *count = (uint16_t)(*count + (*count != UINT16_MAX));
#endif
#if GPIORIG_LOG
    uint16_t head = written[pass].head;
    uint8_t number = written[pass].number++;

    if ((uint16_t)(head - tail) == (GPIORIG_LOG)) {
        written[pass].lost++;
    } else {
        volatile struct gpiorig_record *record = pass == GPIORIG_SEEN ? &ring[INDEX(head)] : &unread;

        record->time = gpiorig_now();
        record->id = (uint16_t)id;
        record->header = (uint8_t)header;
        record->number = number;
        written[pass].head = (uint16_t)(head + (pass == GPIORIG_SEEN));
    }
#else
    (void)id;
#endif
}

#if GPIORIG_LOG

bool gpiorig_log_read(struct gpiorig_record *record)
{
    uint16_t at = tail;

    if (at == written[GPIORIG_SEEN].head) {
        return false;
    }
    *record = ring[INDEX(at)];
    tail = (uint16_t)(at + 1u);
    return true;
}

uint32_t gpiorig_log_lost(void)
{
    unsigned state = gpiorig_port_lock();
    uint32_t lost = written[GPIORIG_SEEN].lost;

    gpiorig_port_unlock(state);
    return lost;
}

/** `digits` hexadecimal digits, most significant first; returns what follows them. */
static char *put_hex(char *text, uint32_t value, unsigned digits)
{
    while (digits-- != 0) {
        *text++ = "0123456789abcdef"[value >> 4u * digits & 15u];
    }
    return text;
}

unsigned gpiorig_log_line(char text[GPIORIG_LOG_LINE])
{
    const unsigned longest = sizeof " 000000000000000f" - 1u;
    struct gpiorig_record record;
    char *end = text;

    while ((unsigned)(end - text) + longest < GPIORIG_LOG_LINE && gpiorig_log_read(&record)) {
        if (end == text) {
            for (const char *head = "log lost="; *head != '\0'; head++) {
                *end++ = *head;
            }
            end = put_hex(end, gpiorig_log_lost(), 8);
        }
        *end++ = ' ';
        end = put_hex(end, record.number, 2);
        end = put_hex(end, record.header, 2);
        if ((record.header & GPIORIG_ID_FOLLOWS) != 0) {
            end = put_hex(end, record.id, 4);
        }
        end = put_hex(end, record.time, 8);
    }
    *end = '\0';
    return (unsigned)(end - text);
}

#endif

#ifdef GPIORIG_SELFTEST

void gpiorig_selftest_begin(void)
{
    for (unsigned code = 0; code < 128; code++) {
        counts[GPIORIG_SEEN][code] = 0;
    }
}

uint16_t gpiorig_selftest_count(uint8_t code)
{
    return counts[GPIORIG_SEEN][code & 127u];
}

unsigned gpiorig_selftest_end(const uint8_t *expected, unsigned n, void (*missing)(uint8_t code))
{
    unsigned absent = 0;

    for (unsigned i = 0; i < n; i++) {
        if (gpiorig_selftest_count(expected[i]) == 0) {
            absent++;
            if (missing != 0) {
                missing(expected[i]);
            }
        }
    }
    return absent;
}

#endif

#endif
