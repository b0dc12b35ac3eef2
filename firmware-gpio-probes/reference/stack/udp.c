#include "udp.h"

#include "gpiorig/probe.h"

#include "app.h"
#include "inet.h"

#include "ipv6.h"

static uint16_t checksum(const struct packet *packet)
{
    uint8_t source[IPV6_ADDRESS_LENGTH], destination[IPV6_ADDRESS_LENGTH];
    uint16_t sum;

    GPIORIG_ENTER_ID(UDP_CHECKSUM, packet->id);
    inet_link_local(source, packet->source);
    inet_link_local(destination, packet->destination);
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

bool udp_send(struct packet *packet)
{
    uint8_t *header;
    bool sent;

    GPIORIG_ENTER_ID(UDP_TX, packet->id);
    GPIORIG_ENTER_ID(UDP_HEADER, packet->id);
    header = build_header(packet);
    GPIORIG_EXIT_ID(UDP_HEADER, packet->id);
    put_be16(header + UDP_CHECKSUM, checksum(packet));
    sent = ipv6_send(packet);
    GPIORIG_EXIT_ID(UDP_TX, packet->id);
    return sent;
}

static bool accept(const struct packet *packet)
{
    const uint8_t *header = packet->buffer + packet->start;

    return packet->length >= UDP_HEADER_LENGTH && get_be16(header + UDP_LENGTH) == packet->length &&
           get_be16(header + UDP_DESTINATION_PORT) == UDP_PORT && checksum(packet) == 0xFFFFu;
}

void udp_receive(struct packet *packet)
{
    GPIORIG_ENTER_ID(UDP_RX, packet->id);
    if (accept(packet)) {
        packet_pull(packet, UDP_HEADER_LENGTH);
        app_receive(packet);
    }
    GPIORIG_EXIT_ID(UDP_RX, packet->id);
}
