/** A packet in hand: one buffer through which the layers move `start` and `length`, so that nothing is copied twice. */
#ifndef PACKET_H
#define PACKET_H

#include <stdint.h>

#define PACKET_HEADROOM 64u /* IPv6 and UDP headers stand in front of what came out of a frame */
#define PACKET_ROOM (PACKET_HEADROOM + 128u)

struct packet {
    uint8_t buffer[PACKET_ROOM];
    uint8_t start;  /* index of the first byte of what the present layer sees */
    uint8_t length; /* of it */
    uint16_t id;    /* the 16-bit sequence number in the last two bytes of the UDP payload */
    uint16_t source, destination; /* short addresses */
};

static inline uint8_t *packet_data(struct packet *packet)
{
    return packet->buffer + packet->start;
}

/** Takes room for a header in front, and returns it. */
static inline uint8_t *packet_push(struct packet *packet, uint8_t length)
{
    packet->start = (uint8_t)(packet->start - length);
    packet->length = (uint8_t)(packet->length + length);
    return packet_data(packet);
}

/** Drops a header from the front. */
static inline void packet_pull(struct packet *packet, uint8_t length)
{
    packet->start = (uint8_t)(packet->start + length);
    packet->length = (uint8_t)(packet->length - length);
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
