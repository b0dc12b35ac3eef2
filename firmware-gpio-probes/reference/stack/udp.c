#include "udp.h"

#include "gpiorig/probe.h"

#include "app.h"
#include "inet.h"
#include "ipv6.h"
#include "packet.h"

static uint16_t checksum(const struct packet *packet)
{
    uint8_t source[IPV6_ADDRESS_LENGTH], destination[IPV6_ADDRESS_LENGTH];
    uint16_t sum;

    GPIORIG_ENTER_ID(UDP_CHECKSUM, packet->id);
    inet_address(source, packet->source);
    inet_address(destination, packet->destination);
    sum = inet_udp_checksum(source, destination, packet->buffer + packet->start, packet->length);
    GPIORIG_EXIT_ID(UDP_CHECKSUM, packet->id);
    return sum;
}

static uint8_t *build_header(struct packet *packet)
{
    uint8_t *header = packet_push(packet, UDP_HEADER_LENGTH);

    put_be16(header + UDP_SOURCE_PORT, UDP_PORT);
    put_be16(header + UDP_DESTINATION_PORT, UDP_PORT);
    put_be16(header + UDP_LENGTH, packet->length);
    put_be16(header + UDP_CHECKSUM, 0);
    return header;
}

static void send(struct packet *packet)
{
    uint16_t id = packet->id;
    uint8_t *header;

    GPIORIG_ENTER_ID(UDP_TX, id);
    GPIORIG_ENTER_ID(UDP_HEADER, id);
    header = build_header(packet);
    GPIORIG_EXIT_ID(UDP_HEADER, id);
    put_be16(header + UDP_CHECKSUM, checksum(packet));
    packet_pass(&ipv6_actor, PACKET_DOWN, packet);
    GPIORIG_EXIT_ID(UDP_TX, id);
}

static bool accept(const struct packet *packet)
{
    const uint8_t *header = packet->buffer + packet->start;

    return packet->length >= UDP_HEADER_LENGTH && get_be16(header + UDP_LENGTH) == packet->length &&
           get_be16(header + UDP_DESTINATION_PORT) == UDP_PORT && checksum(packet) == 0xFFFFu;
}

static void receive(struct packet *packet)
{
    uint16_t id = packet->id;

    GPIORIG_ENTER_ID(UDP_RX, id);
    if (accept(packet)) {
        packet_pull(packet, UDP_HEADER_LENGTH);
        packet_pass(&app_actor, PACKET_UP, packet);
    } else {
        packet_free(packet);
    }
    GPIORIG_EXIT_ID(UDP_RX, id);
}

static void handle(const struct message *message)
{
    if (message->type == PACKET_DOWN) {
        send(message->content);
    } else if (message->type == PACKET_UP) {
        receive(message->content);
    }
}

ACTOR(udp_actor, ACTOR_UDP, handle, 5, STACK_BYTES(384u));
