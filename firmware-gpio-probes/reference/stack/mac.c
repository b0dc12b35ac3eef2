#include "mac.h"

#include "gpiorig/probe.h"

#include "radio.h"
#include "sixlowpan.h"

/* IEEE 802.15.4-2006 7.2.1.1: data, acknowledgement requested, PAN id compressed, both addresses short, version 0 */
#define FRAME_CONTROL (1u | 1u << 5 | 1u << 6 | 2u << 10 | 2u << 14)

static uint16_t own_pan, own_address;
static uint8_t sequence;

static uint16_t last_source;
static int16_t last_sequence = -1; /* none yet */

void mac_set_address(uint16_t pan, uint16_t address)
{
    own_pan = pan;
    own_address = address;
    last_sequence = -1;
}

bool mac_send(struct packet *packet)
{
    bool sent;

    GPIORIG_ENTER_ID(MAC_TX, packet->id);
    uint8_t *header = packet_push(packet, MAC_HEADER_LENGTH);
    put_le16(header, FRAME_CONTROL);
    header[2] = ++sequence;
    put_le16(header + 3, own_pan);
    put_le16(header + 5, packet->destination);
    put_le16(header + 7, own_address);
    GPIORIG_EVENT_ID(MAC_SEQUENCE, (uint16_t)header[2]);
    sent = radio_send(packet);
    GPIORIG_EXIT_ID(MAC_TX, packet->id);
    return sent;
}

/** True for a frame of ours that has not come before: a lost acknowledgement makes the sender repeat it. */
static bool accept(struct packet *packet)
{
    const uint8_t *header = packet_data(packet);
    bool repeated;

    if (packet->length <= MAC_HEADER_LENGTH || get_le16(header) != FRAME_CONTROL || get_le16(header + 3) != own_pan) {
        return false;
    }
    packet->destination = get_le16(header + 5);
    packet->source = get_le16(header + 7);
    if (packet->destination != own_address) {
        return false;
    }
    repeated = packet->source == last_source && header[2] == last_sequence;
    last_source = packet->source;
    last_sequence = header[2];
    return !repeated;
}

void mac_receive(struct packet *packet)
{
    GPIORIG_ENTER_ID(MAC_RX, packet->id);
    if (accept(packet)) {
        packet_pull(packet, MAC_HEADER_LENGTH);
        sixlowpan_receive(packet);
    }
    GPIORIG_EXIT_ID(MAC_RX, packet->id);
}
