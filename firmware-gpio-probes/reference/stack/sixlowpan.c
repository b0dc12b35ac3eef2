#include "sixlowpan.h"

#include <string.h>

#include "gpiorig/probe.h"

#include "iphc.h"
#include "ipv6.h"
#include "mac.h"

bool sixlowpan_send(struct packet *packet)
{
    uint8_t compressed[IPHC_LENGTH_MAX];
    uint8_t length, used;
    bool sent = false;

    GPIORIG_ENTER_ID(SIXLOWPAN_TX, packet->id);
    GPIORIG_ENTER_ID(SIXLOWPAN_COMPRESS, packet->id);
    length = iphc_compress(packet_data(packet), packet->source, packet->destination, compressed, &used);
    packet_pull(packet, used);
    memcpy(packet_push(packet, length), compressed, length);
    GPIORIG_EXIT_ID(SIXLOWPAN_COMPRESS, packet->id);
    if (packet->length <= MAC_PAYLOAD_MAX) {
        sent = mac_send(packet);
    }
    GPIORIG_EXIT_ID(SIXLOWPAN_TX, packet->id);
    return sent;
}

static bool decompress(struct packet *packet)
{
    uint8_t headers[IPV6_HEADER_LENGTH + UDP_HEADER_LENGTH];
    uint8_t used;
    uint8_t length =
        iphc_decompress(packet_data(packet), packet->length, packet->source, packet->destination, headers, &used);

    if (length == 0) {
        return false;
    }
    packet_pull(packet, used);
    memcpy(packet_push(packet, length), headers, length);
    return true;
}

void sixlowpan_receive(struct packet *packet)
{
    bool good;

    GPIORIG_ENTER_ID(SIXLOWPAN_RX, packet->id);
    GPIORIG_ENTER_ID(SIXLOWPAN_DECOMPRESS, packet->id);
    good = decompress(packet);
    GPIORIG_EXIT_ID(SIXLOWPAN_DECOMPRESS, packet->id);
    if (good) {
        ipv6_receive(packet);
    }
    GPIORIG_EXIT_ID(SIXLOWPAN_RX, packet->id);
}
