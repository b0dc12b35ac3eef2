#include "ipv6.h"

#include <string.h>

#include "gpiorig/probe.h"

#include "inet.h"
#include "packet.h"
#include "settings.h"
#include "sixlowpan.h"
#include "udp.h"

#define HOP_LIMIT 64u

static void build_header(struct packet *packet)
{
    uint16_t length = packet->length;
    uint8_t *header = packet_push(packet, IPV6_HEADER_LENGTH);

    memset(header, 0, IPV6_HEADER_LENGTH);
    header[0] = 0x60u; /* version 6, traffic class and flow label 0 */
    put_be16(header + IPV6_PAYLOAD_LENGTH, length);
    header[IPV6_NEXT_HEADER] = NEXT_HEADER_UDP;
    header[IPV6_HOP_LIMIT] = HOP_LIMIT;
    inet_address(header + IPV6_SOURCE, packet->source);
    inet_address(header + IPV6_DESTINATION, packet->destination);
}

static void send(struct packet *packet)
{
    uint16_t id = packet->id;

    GPIORIG_ENTER_ID(IPV6_TX, id);
    GPIORIG_ENTER_ID(IPV6_HEADER, id);
    build_header(packet);
    GPIORIG_EXIT_ID(IPV6_HEADER, id);
    if (settings.loopback == LOOPBACK_IPV6 && packet->destination == settings.address) {
        packet_turn_round(packet, &ipv6_actor);
    } else {
        packet_pass(&sixlowpan_actor, PACKET_DOWN, packet);
    }
    GPIORIG_EXIT_ID(IPV6_TX, id);
}

/** From the node that sent it, for us or all, complete, and UDP. */
static bool accept(const struct packet *packet)
{
    const uint8_t *header = packet->buffer + packet->start;

    return packet->length >= IPV6_HEADER_LENGTH && header[0] >> 4 == 6u &&
           get_be16(header + IPV6_PAYLOAD_LENGTH) == packet->length - IPV6_HEADER_LENGTH &&
           header[IPV6_NEXT_HEADER] == NEXT_HEADER_UDP && inet_is_address(header + IPV6_SOURCE, packet->source) &&
           inet_is_address(header + IPV6_DESTINATION, packet->destination);
}

static void receive(struct packet *packet)
{
    uint16_t id = packet->id;

    GPIORIG_ENTER_ID(IPV6_RX, id);
    if (accept(packet)) {
        packet_pull(packet, IPV6_HEADER_LENGTH);
        packet_pass(&udp_actor, PACKET_UP, packet);
    } else {
        packet_free(packet);
    }
    GPIORIG_EXIT_ID(IPV6_RX, id);
}

static void handle(const struct message *message)
{
    if (message->type == PACKET_DOWN) {
        send(message->content);
    } else if (message->type == PACKET_UP) {
        receive(message->content);
    }
}

ACTOR(ipv6_actor, ACTOR_IPV6, handle, 4, STACK_BYTES(384u));
