#include "sixlowpan.h"

#include <stddef.h>
#include <string.h>

#include "gpiorig/probe.h"

#include "flood.h"
#include "iphc.h"
#include "ipv6.h"
#include "mac.h"
#include "mesh.h"
#include "packet.h"
#include "reassembly.h"
#include "route.h"
#include "settings.h"

/* RFC 4944 5.3: 11000 and 11 bits of size, tag; FRAGN has 11100 and an offset in units of 8 bytes */
#define FRAG1 0xC0u
#define FRAGN 0xE0u
#define FRAG_MASK 0xF8u
#define FRAG_SIZE_MASK 0x07FFu
#define FRAG1_LENGTH 4u
#define FRAGN_LENGTH 5u

static struct packet_owner fragments = { .actor = &sixlowpan_actor };
static struct packet_queue waiting; /* until the datagram in work is out */
static uint16_t last_tag;
static struct sixlowpan_counts counts;

/** The datagram that goes out in fragments, if there is one. */
static struct {
    struct packet *datagram; /* its headers compressed */
    uint16_t size;           /* as if they were not */
    uint16_t saved;          /* bytes that compression saved */
    uint16_t sent;           /* bytes of it */
    uint16_t tag;
} out;

/** To the next hop; a mesh header has where it goes if that is elsewhere. */
static void hand_down(struct packet *packet)
{
    if (packet->link_destination != packet->destination) {
        if (packet->link_destination == ROUTE_NONE) {
            packet_settle(packet, FATE_NO_ROUTE);
            return;
        }
        mesh_write(packet_push(packet, MESH_LENGTH), packet);
    }
    packet_pass(&mac_actor, PACKET_DOWN, packet);
}

/** What a frame has for 6LoWPAN. */
static uint16_t room_for(const struct packet *packet)
{
    return MAC_PAYLOAD_MAX - (packet->link_destination != packet->destination ? MESH_LENGTH : 0u);
}

static void make_fragment(struct packet *fragment)
{
    struct packet *datagram = out.datagram;
    bool is_first = out.sent == 0;
    uint16_t head = is_first ? FRAG1_LENGTH : FRAGN_LENGTH;
    uint16_t offset = (uint16_t)(out.sent + (is_first ? 0 : out.saved)); /* of the datagram as it was */
    uint16_t left = (uint16_t)(datagram->length - out.sent);
    uint16_t most = (uint16_t)(room_for(datagram) - head);
    uint8_t *header;

    /* All but the last end at a multiple of 8 bytes of the datagram as it was. */
    if (left > most) {
        uint16_t saved = is_first ? out.saved : 0;

        left = (uint16_t)(((most + saved) & ~7u) - saved);
    }
    fragment->id = datagram->id;
    fragment->owner = &fragments;
    fragment->departure = datagram->departure == DEPARTURE_ANY ? DEPARTURE_ANY : DEPARTURE_RECORDED;
    fragment->source = datagram->source;
    fragment->destination = datagram->destination;
    fragment->link_source = datagram->link_source;
    fragment->link_destination = datagram->link_destination;
    fragment->length = left;
    memcpy(packet_data(fragment), packet_data(datagram) + out.sent, left);
    header = packet_push(fragment, head);
    put_be16(header, (uint16_t)((is_first ? FRAG1 : FRAGN) << 8 | out.size));
    put_be16(header + 2, out.tag);
    if (!is_first) {
        header[4] = (uint8_t)(offset / 8u);
    }
    out.sent = (uint16_t)(out.sent + left);
    counts.fragments++;
}

/** False when there is no buffer for it. */
static bool next_fragment(void)
{
    uint16_t id = out.datagram->id;
    struct packet *fragment;

    GPIORIG_ENTER_ID(SIXLOWPAN_FRAGMENT, id);
    fragment = packet_alloc();
    if (fragment != NULL) {
        make_fragment(fragment);
    }
    GPIORIG_EXIT_ID(SIXLOWPAN_FRAGMENT, id);
    if (fragment != NULL) {
        hand_down(fragment); /* comes back in fragments.settled, whatever happens */
    }
    return fragment != NULL;
}

/** The datagram in work is done with. */
static void finish(enum fate fate)
{
    packet_settle(out.datagram, fate);
    out.datagram = NULL;
}

static void compress(struct packet *packet)
{
    uint8_t compressed[IPHC_LENGTH_MAX];
    uint8_t length, used;

    GPIORIG_ENTER_ID(SIXLOWPAN_COMPRESS, packet->id);
    length = iphc_compress(packet_data(packet), packet->source, packet->destination, compressed, &used);
    packet_pull(packet, used);
    memcpy(packet_push(packet, length), compressed, length);
    GPIORIG_EXIT_ID(SIXLOWPAN_COMPRESS, packet->id);
}

static void send(struct packet *packet)
{
    uint16_t id = packet->id, size = packet->length;

    GPIORIG_ENTER_ID(SIXLOWPAN_TX, id);
    packet->link_source = packet->source;
    packet->link_destination = route_next_hop(packet->destination);
    compress(packet);
    if (packet->length <= room_for(packet)) {
        hand_down(packet);
    } else {
        out.datagram = packet;
        out.size = size;
        out.saved = (uint16_t)(size - packet->length);
        out.sent = 0;
        out.tag = ++last_tag;
        if (!next_fragment()) {
            finish(FATE_QUEUE);
        }
    }
    GPIORIG_EXIT_ID(SIXLOWPAN_TX, id);
}

static void fragment_settled(enum fate fate)
{
    if (fate != FATE_OK || out.sent == out.datagram->length) {
        finish(fate);
    } else if (!next_fragment()) {
        finish(FATE_QUEUE);
    }
}

static void take_settled(void)
{
    struct packet *packet;

    while ((packet = packet_queue_take(&fragments.settled)) != NULL) {
        enum fate fate = (enum fate)packet->fate;

        if (packet->departure == DEPARTURE_KNOWN && out.datagram->departure != DEPARTURE_KNOWN) {
            out.datagram->departure = DEPARTURE_KNOWN;
            out.datagram->departed_us = packet->departed_us;
        }
        packet_free(packet);
        fragment_settled(fate);
    }
    while (out.datagram == NULL && (packet = packet_queue_take(&waiting)) != NULL) {
        send(packet);
    }
}

/** Restores the headers; false when it cannot. `size`: of the datagram, when it has more parts; else 0. */
static bool decompress(struct packet *packet, uint16_t size)
{
    uint8_t headers[IPV6_HEADER_LENGTH + UDP_HEADER_LENGTH];
    uint8_t used, length;

    GPIORIG_ENTER_ID(SIXLOWPAN_DECOMPRESS, packet->id);
    length = iphc_decompress(packet_data(packet), (uint8_t)packet->length, packet->source, packet->destination, headers,
                             &used);
    if (length > 0) {
        if (size > 0) { /* lengths that were omitted follow from the size */
            put_be16(headers + IPV6_PAYLOAD_LENGTH, (uint16_t)(size - IPV6_HEADER_LENGTH));
        }
        if (size > 0 && length > IPV6_HEADER_LENGTH) {
            put_be16(headers + IPV6_HEADER_LENGTH + UDP_LENGTH, (uint16_t)(size - IPV6_HEADER_LENGTH));
        }
        packet_pull(packet, used);
        memcpy(packet_push(packet, length), headers, length);
    }
    GPIORIG_EXIT_ID(SIXLOWPAN_DECOMPRESS, packet->id);
    return length > 0;
}

/** Takes a fragment; returns the datagram when it is complete. */
static struct packet *reassemble(struct packet *packet)
{
    uint8_t *header = packet_data(packet);
    uint16_t head = (header[0] & FRAG_MASK) == FRAG1 ? FRAG1_LENGTH : FRAGN_LENGTH;
    struct packet *datagram = NULL;
    struct fragment fragment;

    GPIORIG_ENTER_ID(SIXLOWPAN_REASSEMBLE, packet->id);
    if (packet->length > head) {
        fragment.size = get_be16(header) & FRAG_SIZE_MASK;
        fragment.tag = get_be16(header + 2);
        fragment.offset = head == FRAGN_LENGTH ? (uint16_t)(header[4] * 8u) : 0;
        packet_pull(packet, head);
        if (fragment.offset > 0 || decompress(packet, fragment.size)) {
            datagram = reassembly_add(packet, &fragment);
        }
    }
    GPIORIG_EXIT_ID(SIXLOWPAN_REASSEMBLE, packet->id);
    packet_free(packet);
    return datagram;
}

static bool is_to_be_sent_on(struct packet *packet, uint8_t hops_left)
{
    bool is_wanted = packet->destination != MAC_BROADCAST || flood_receive(packet, (uint8_t)(MESH_HOPS + 1u - hops_left));

    return is_wanted && hops_left > 1u;
}

/** Takes the mesh header off; true when the packet is for us. Else it has been sent on, or dropped. */
static bool end_of_mesh(struct packet *packet)
{
    uint8_t *header = packet_data(packet);

    if (packet->length <= MESH_LENGTH || (header[0] & MESH_SHORT_ADDRESSES) != MESH_SHORT_ADDRESSES) {
        packet_free(packet);
        return false;
    }
    packet->source = get_be16(header + 1);
    packet->destination = get_be16(header + 3);
    if (packet->destination == settings.address) {
        packet_pull(packet, MESH_LENGTH);
        return true;
    }
    if (packet->source == settings.address || !is_to_be_sent_on(packet, header[0] & MESH_HOPS_MASK)) {
        packet_free(packet);
        return false;
    }
    header[0]--; /* the hops left */
    packet->link_source = (uint16_t)settings.address;
    packet->link_destination = route_next_hop(packet->destination);
    if (packet->link_destination == ROUTE_NONE) {
        packet_free(packet);
        return false;
    }
    counts.forwarded++;
    packet_pass(&mac_actor, PACKET_DOWN, packet);
    return false;
}

static void receive(struct packet *packet)
{
    uint16_t id = packet->id;

    GPIORIG_ENTER_ID(SIXLOWPAN_RX, id);
    if ((packet_data(packet)[0] & MESH_MASK) == MESH && !end_of_mesh(packet)) {
        packet = NULL;
    }
    if (packet != NULL && (packet_data(packet)[0] & MESH_MASK) == (FRAG1 & MESH_MASK)) {
        packet = reassemble(packet);
    } else if (packet != NULL && !decompress(packet, 0)) {
        packet_free(packet);
        packet = NULL;
    }
    if (packet != NULL) {
        packet_pass(&ipv6_actor, PACKET_UP, packet);
    }
    GPIORIG_EXIT_ID(SIXLOWPAN_RX, id);
}

static void handle(const struct message *message)
{
    if (message->type == PACKET_UP) {
        receive(message->content);
    } else if (message->type == PACKET_DOWN && out.datagram == NULL) {
        send(message->content);
    } else if (message->type == PACKET_DOWN) {
        if (!packet_queue_put(&waiting, message->content, (uint16_t)settings.queue)) {
            packet_drop(message->content);
        }
    } else {
        if ((message->value & PACKET_SETTLED) != 0) {
            take_settled();
        }
        if ((message->value & SIXLOWPAN_SIGNAL_TIMEOUT) != 0) {
            reassembly_expire();
        }
        if ((message->value & SIXLOWPAN_SIGNAL_STOP) != 0) {
            reassembly_stop();
            flood_stop();
        }
        if ((message->value & SIXLOWPAN_SIGNAL_START) != 0) {
            flood_start();
        }
        if ((message->value & SIXLOWPAN_SIGNAL_FLOOD) != 0) {
            flood_send();
        }
    }
}

ACTOR(sixlowpan_actor, ACTOR_SIXLOWPAN, handle, 3, STACK_BYTES(640u));

struct sixlowpan_counts sixlowpan_counts(void)
{
    counts.incomplete = reassembly_incomplete();
    return counts;
}
