#include "reassembly.h"

#include <stddef.h>
#include <string.h>

#include "alarm.h"
#include "sixlowpan.h"
#include "timer.h"

#define PLACES 2u /* datagrams under way at once */
/* RFC 4944 5.3: 60 seconds at most; RIOT takes 3 (CONFIG_GNRC_SIXLOWPAN_FRAG_RBUF_TIMEOUT_US). */
#define TIMEOUT_US 3000000u
#define UNIT 8u /* offsets count in these */
#define UNITS_MAX ((DATAGRAM_MAX + UNIT - 1u) / UNIT)
#define START (PACKET_HEADROOM + 1u - IPV6_HEADER_LENGTH - UDP_HEADER_LENGTH)

static struct place {
    struct packet *datagram; /* NULL: free */
    uint16_t tag;
    uint8_t missing;                     /* units */
    uint8_t here[(UNITS_MAX + 7u) / 8u]; /* a bit for each unit */
    struct alarm timeout;
} places[PLACES];

static uint32_t incomplete;

static void release(struct place *place)
{
    alarm_cancel(&place->timeout);
    place->datagram = NULL;
}

static void give_up(struct place *place)
{
    struct packet *datagram = place->datagram;

    release(place);
    packet_free(datagram);
    incomplete++;
}

/** RFC 4944 5.3: source, destination, size and tag distinguish datagrams. */
static struct place *find(const struct packet *part, const struct fragment *fragment)
{
    for (unsigned i = 0; i < PLACES; i++) {
        const struct packet *datagram = places[i].datagram;

        if (datagram != NULL && datagram->source == part->source && datagram->destination == part->destination &&
            datagram->length == fragment->size && places[i].tag == fragment->tag) {
            return &places[i];
        }
    }
    return NULL;
}

/** A free place; if there is none, the oldest datagram makes room. */
static struct place *take_place(void)
{
    struct place *oldest = &places[0];

    for (unsigned i = 0; i < PLACES; i++) {
        if (places[i].datagram == NULL) {
            return &places[i];
        }
        if (!timer_reached(places[i].timeout.deadline_us, oldest->timeout.deadline_us)) {
            oldest = &places[i];
        }
    }
    give_up(oldest);
    return oldest;
}

static struct place *begin(const struct packet *part, const struct fragment *fragment)
{
    struct place *place = take_place();
    struct packet *datagram = packet_alloc_for((uint16_t)(START + fragment->size));

    if (datagram == NULL) {
        return NULL;
    }
    datagram->start = START;
    datagram->length = fragment->size;
    datagram->source = part->source;
    datagram->destination = part->destination;
    place->datagram = datagram;
    place->tag = fragment->tag;
    place->missing = (uint8_t)((fragment->size + UNIT - 1u) / UNIT);
    memset(place->here, 0, sizeof place->here);
    place->timeout.to = &sixlowpan_actor;
    place->timeout.signals = SIXLOWPAN_SIGNAL_TIMEOUT;
    alarm_set(&place->timeout, timer_now() + TIMEOUT_US);
    return place;
}

/** Notes the units; returns how many of them are new. */
static unsigned mark(struct place *place, unsigned first, unsigned count)
{
    unsigned new = 0;

    for (unsigned unit = first; unit < first + count; unit++) {
        uint8_t bit = (uint8_t)(1u << unit % 8u);

        new += (place->here[unit / 8u] & bit) == 0 ? 1u : 0u;
        place->here[unit / 8u] |= bit;
    }
    return new;
}

/** Whether the part is in a datagram that fits, on the grid of units but for the end. */
static bool fits(const struct packet *part, const struct fragment *fragment)
{
    uint16_t end = (uint16_t)(fragment->offset + part->length);

    return fragment->size <= DATAGRAM_MAX && part->length > 0 && end <= fragment->size &&
           (end == fragment->size || part->length % UNIT == 0);
}

struct packet *reassembly_add(struct packet *part, const struct fragment *fragment)
{
    struct place *place = find(part, fragment);
    struct packet *datagram;
    unsigned count, new;

    if (!fits(part, fragment)) {
        return NULL;
    }
    if (place == NULL && (place = begin(part, fragment)) == NULL) {
        return NULL;
    }
    count = (part->length + UNIT - 1u) / UNIT;
    new = mark(place, fragment->offset / UNIT, count);
    if (new == 0) {
        return NULL; /* a repetition */
    }
    if (new != count) {
        give_up(place); /* 5.3: an overlap of another size voids what there is */
        return NULL;
    }
    datagram = place->datagram;
    memcpy(packet_data(datagram) + fragment->offset, packet_data(part), part->length);
    place->missing = (uint8_t)(place->missing - new);
    if (place->missing > 0) {
        return NULL;
    }
    release(place);
    datagram->id = part->id;
    datagram->received_us = part->received_us;
    datagram->link_source = part->link_source;
    datagram->link_destination = part->link_destination;
    return datagram;
}

void reassembly_expire(void)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (places[i].datagram != NULL && timer_reached(timer_now(), places[i].timeout.deadline_us)) {
            give_up(&places[i]);
        }
    }
}

void reassembly_stop(void)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (places[i].datagram != NULL) {
            give_up(&places[i]);
        }
    }
}

uint32_t reassembly_incomplete(void)
{
    return incomplete;
}
