#include "ipv6.h"

#include <string.h>

#include "gpiorig/probe.h"

#include "inet.h"
#include "sixlowpan.h"
#include "udp.h"

#define HOP_LIMIT 64u

static void build_header(struct packet *packet)
{
    uint8_t length = packet->length;
    uint8_t *header = packet_push(packet, IPV6_HEADER_LENGTH);

    memset(header, 0, IPV6_HEADER_LENGTH);
    header[0] = 0x60u; /* version 6, traffic class and flow label 0 */
    put_be16(header + IPV6_PAYLOAD_LENGTH, length);
    header[IPV6_NEXT_HEADER] = NEXT_HEADER_UDP;
    header[IPV6_HOP_LIMIT] = HOP_LIMIT;
    inet_link_local(header + IPV6_SOURCE, packet->source);
    inet_link_local(header + IPV6_DESTINATION, packet->destination);
}

bool ipv6_send(struct packet *packet)
{
    bool sent;

    GPIORIG_ENTER_ID(IPV6_TX, packet->id);
    GPIORIG_ENTER_ID(IPV6_HEADER, packet->id);
    build_header(packet);
    GPIORIG_EXIT_ID(IPV6_HEADER, packet->id);
    sent = sixlowpan_send(packet);
    GPIORIG_EXIT_ID(IPV6_TX, packet->id);
    return sent;
}

/** For us, from the node that framed it, whole, and UDP. */
static bool accept(const struct packet *packet)
{
    const uint8_t *header = packet->buffer + packet->start;

    return packet->length >= IPV6_HEADER_LENGTH && header[0] >> 4 == 6u &&
           get_be16(header + IPV6_PAYLOAD_LENGTH) == packet->length - IPV6_HEADER_LENGTH &&
           header[IPV6_NEXT_HEADER] == NEXT_HEADER_UDP && inet_is_link_local(header + IPV6_SOURCE, packet->source) &&
           inet_is_link_local(header + IPV6_DESTINATION, packet->destination);
}

void ipv6_receive(struct packet *packet)
{
    GPIORIG_ENTER_ID(IPV6_RX, packet->id);
    if (accept(packet)) {
        packet_pull(packet, IPV6_HEADER_LENGTH);
        udp_receive(packet);
    }
    GPIORIG_EXIT_ID(IPV6_RX, packet->id);
}
