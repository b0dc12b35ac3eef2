/**
 * A packet in hand: one buffer through which the layers move `start` and `length`, so that nothing is copied twice. Buffers
 * come from a pool. One holder at a time has a packet; it hands it on, settles it, or frees it.
 */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "board_limits.h"
#include "kernel.h"

#define PAYLOAD_MIN 8u   /* of UDP or, without it, of the MAC */

/* IPv6 and UDP headers are in front of what came out of a frame; MAC, mesh and IPv6 headers go before what is sent. */
#define PACKET_HEADROOM 64u
#define PAYLOAD_SHORT 219u /* that one buffer holds; PAYLOAD_MAX (board_limits.h) may be more */
#define PACKET_ROOM (PACKET_HEADROOM + PAYLOAD_SHORT + 1u)

/** What became of a packet that was to be sent. */
enum fate {
    FATE_OK,      /* sent, and acknowledged where asked for */
    FATE_NO_ACK,  /* no acknowledgement after all retries */
    FATE_BUSY,    /* the channel was never clear, or the radio did not take the frame */
    FATE_QUEUE,   /* a queue in its path was full, or there was no buffer */
    FATE_TIMEOUT, /* it was sent, but what it waited for did not come */
    FATE_TOO_LONG, /* for one frame, where there is no 6LoWPAN to cut it */
    FATE_NO_ROUTE, /* no flood has shown the way */
};

/** When a packet goes out, and whether that is recorded. */
enum departure {
    DEPARTURE_ANY,      /* when the MAC is free; not recorded */
    DEPARTURE_RECORDED, /* when the MAC is free */
    DEPARTURE_TIMED,    /* at departure_us; recorded */
    DEPARTURE_KNOWN,    /* it went out at departed_us */
};

struct packet_owner;

struct packet {
    struct packet *next;        /* in its holder's queue */
    struct packet_owner *owner; /* NULL: no layer wants to know */
    union {
        uint32_t received_us; /* node timer when its SFD had gone by (radio.h) */
        uint32_t departed_us; /* of one that was sent: when it, or its first fragment, went out, if DEPARTURE_KNOWN */
    };
    uint32_t sent_us;           /* node timer just before its app.tx.enter */
    uint32_t departure_us;      /* when it is to go out, if DEPARTURE_TIMED */
    uint16_t start;             /* index of the first byte of what the present layer sees */
    uint16_t length;            /* of it */
    uint16_t id;                /* the 16-bit sequence number in the last two bytes of the payload */
    uint16_t source, destination; /* short addresses, end to end; destination may be MAC_BROADCAST */
    uint16_t link_source, link_destination; /* of this hop */
    uint8_t fate;        /* enum fate, once it is settled */
    bool unacknowledged; /* ask no acknowledgement; a broadcast never does */
    uint8_t departure;   /* enum departure */
    uint8_t buffer[PACKET_ROOM]; /* at least */
};

/* What the layers are called with, next to signals; `content` is the packet. Taken by the layer, unless actor_pass returns false. */
enum packet_message {
    PACKET_DOWN = 1, /* to be sent */
    PACKET_UP,       /* was received */
};

/** Packets in order, each in one queue at most. Interrupt safe; all zeros is an empty one. */
struct packet_queue {
    struct packet *first, *last;
    uint16_t length;
};

/** The layer that learns what became of its packets: they come back to it. */
struct packet_owner {
    struct actor *actor;         /* gets the signal PACKET_SETTLED */
    struct packet_queue settled; /* what it then takes, and frees */
};

#define PACKET_SETTLED SIGNAL(15)

struct packet_counts {
    uint32_t exhausted; /* packet_alloc found none */
    uint32_t dropped;   /* packets that a full queue lost, any layer, both directions */
    uint16_t least_free;
};

/** An empty packet, start at PACKET_HEADROOM, without an owner; NULL when all are taken, which is counted. From any context. */
struct packet *packet_alloc(void);

/** The same with a buffer of at least `room` bytes, up to PACKET_HEADROOM + PAYLOAD_MAX + 1. */
struct packet *packet_alloc_for(uint16_t room);

/** From any context. */
void packet_free(struct packet *packet);

/** The end of a packet that was to be sent: it goes back to its owner with its fate, or is freed. From any context. */
void packet_settle(struct packet *packet, enum fate fate);

/** Hands a packet on; when the queue is full, counts it and settles it as FATE_QUEUE. False then. From an actor. */
bool packet_pass(struct actor *to, enum packet_message way, struct packet *packet);

/**
 * Turns a packet round: a copy of it comes to the actor as received, by its queue, whatever the kernel, and the packet is
 * settled. From an actor.
 */
void packet_turn_round(struct packet *packet, struct actor *to);

/** As packet_settle with FATE_QUEUE, and counted. */
void packet_drop(struct packet *packet);

/** False when the queue has `most` packets already; the packet then still is the caller's. */
bool packet_queue_put(struct packet_queue *queue, struct packet *packet, uint16_t most);

/** NULL when there is none. */
struct packet *packet_queue_take(struct packet_queue *queue);

struct packet_counts packet_counts(void);

/** Of an enum fate, as the log has it. */
const char *fate_name(uint8_t fate);

static inline uint8_t *packet_data(struct packet *packet)
{
    return packet->buffer + packet->start;
}

/** Takes room for a header in front, and returns it. */
static inline uint8_t *packet_push(struct packet *packet, uint16_t length)
{
    packet->start = (uint16_t)(packet->start - length);
    packet->length = (uint16_t)(packet->length + length);
    return packet_data(packet);
}

/** Drops a header from the front. */
static inline void packet_pull(struct packet *packet, uint16_t length)
{
    packet->start = (uint16_t)(packet->start + length);
    packet->length = (uint16_t)(packet->length - length);
}

static inline uint16_t get_be16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline void put_be16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static inline uint16_t get_le16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[1] << 8 | bytes[0]);
}

static inline void put_le16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

#endif
