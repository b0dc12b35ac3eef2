#include "mac.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "console.h"
#include "route.h"
#include "settings.h"
#include "sixlowpan.h"

/* IEEE 802.15.4-2006 7.2.1.1: data, PAN id compressed, both addresses short, version 0; acknowledgement requested */
#define FRAME_CONTROL (1u | 1u << 6 | 2u << 10 | 2u << 14)
#define ACKNOWLEDGE (1u << 5)

#define NEIGHBOURS 8u /* whose last sequence number is remembered */
#define PROTOCOL_SIGNALS \
    ((uint16_t) ~(MAC_SIGNAL_RADIO | MAC_SIGNAL_CONFIGURE | MAC_SIGNAL_START | MAC_SIGNAL_STOP | PACKET_SETTLED))

extern const struct mac mac_csma, mac_tdma, mac_slots;
static const struct mac *const protocols[] = { [MAC_CSMA] = &mac_csma, [MAC_TDMA] = &mac_tdma, [MAC_SLOTS] = &mac_slots };

static const struct mac *protocol; /* NULL: stopped */
static bool configured;
static uint8_t sequence;

static struct {
    uint16_t source;
    int16_t sequence; /* -1: none yet */
} received[NEIGHBOURS];
static uint8_t next_received;

void mac_frame(struct packet *packet)
{
    bool acknowledged = packet->link_destination != MAC_BROADCAST && !packet->unacknowledged &&
                        protocol->asks_acknowledgements && (!protocol->uses_csma || settings.csma != 0);
    uint8_t *header = packet_push(packet, MAC_HEADER_LENGTH);

    put_le16(header, FRAME_CONTROL | (acknowledged ? ACKNOWLEDGE : 0u));
    header[2] = ++sequence;
    put_le16(header + 3, MAC_PAN);
    put_le16(header + 5, packet->link_destination);
    put_le16(header + 7, (uint16_t)settings.address);
    GPIORIG_EVENT_ID(MAC_SEQUENCE, (uint16_t)header[2]);
}

void mac_settle(struct packet *packet, enum radio_result result)
{
    static const uint8_t fates[] = { [RADIO_SENT] = FATE_OK, [RADIO_NO_ACK] = FATE_NO_ACK, [RADIO_BUSY] = FATE_BUSY };

    if (packet->departure != DEPARTURE_ANY && result == RADIO_SENT && radio_departed(&packet->departed_us)) {
        packet->departure = DEPARTURE_KNOWN;
    }
    packet_settle(packet, (enum fate)fates[result]);
}

static void send(struct packet *packet)
{
    uint16_t id = packet->id;

    GPIORIG_ENTER_ID(MAC_TX, id);
    if (packet->length > MAC_PAYLOAD_MAX) {
        packet_settle(packet, FATE_TOO_LONG);
    } else if (protocol == NULL) {
        packet_settle(packet, FATE_BUSY);
    } else {
        mac_frame(packet);
        if (settings.loopback == LOOPBACK_MAC && packet->link_destination == settings.address) {
            packet_turn_round(packet, &mac_actor);
        } else {
            protocol->send(packet);
        }
    }
    GPIORIG_EXIT_ID(MAC_TX, id);
}

/** A lost acknowledgement makes the sender repeat a frame. */
static bool is_repeated(uint16_t source, uint8_t number)
{
    for (unsigned i = 0; i < NEIGHBOURS; i++) {
        if (received[i].sequence >= 0 && received[i].source == source) {
            bool repeated = received[i].sequence == number;

            received[i].sequence = number;
            return repeated;
        }
    }
    received[next_received].source = source;
    received[next_received].sequence = number;
    next_received = (uint8_t)((next_received + 1u) % NEIGHBOURS);
    return false;
}

/** True for a data frame for us or for all that has not come before, unless duplicates are to be read. */
static bool accept(struct packet *packet)
{
    const uint8_t *header = packet_data(packet);

    if (packet->length <= MAC_HEADER_LENGTH || (get_le16(header) & ~ACKNOWLEDGE) != FRAME_CONTROL ||
        get_le16(header + 3) != MAC_PAN) {
        return false;
    }
    packet->link_destination = packet->destination = get_le16(header + 5);
    packet->link_source = packet->source = get_le16(header + 7);
    return (packet->destination == settings.address || packet->destination == MAC_BROADCAST) &&
           (!is_repeated(packet->source, header[2]) || settings.repeat_us > 0);
}

static void deliver(struct packet *packet)
{
    uint8_t dispatch;

    packet_pull(packet, MAC_HEADER_LENGTH);
    dispatch = packet_data(packet)[0];
    if ((dispatch & MAC_NOT_LOWPAN_MASK) != 0) {
        packet_pass(&sixlowpan_actor, PACKET_UP, packet);
    } else if (dispatch == MAC_APPLICATION && packet->length > 1) {
        packet_pull(packet, 1);
        packet_pass(&app_actor, PACKET_UP, packet);
    } else {
        packet_free(packet);
    }
}

static void receive(struct packet *packet)
{
    uint16_t id = packet->id;

    GPIORIG_ENTER_ID(MAC_RX, id);
    if (protocol == NULL || protocol->received == NULL || !protocol->received(packet)) {
        if (accept(packet)) {
            deliver(packet);
        } else {
            packet_free(packet);
        }
    }
    GPIORIG_EXIT_ID(MAC_RX, id);
}

static void confirmed(uint16_t id, enum radio_result result)
{
    if (protocol != NULL) {
        protocol->confirmed(id, result);
    }
}

static void stop(void)
{
    if (protocol != NULL) {
        protocol->stop();
        protocol = NULL;
    }
}

static void configure(void)
{
    const struct mac *chosen = protocols[settings.mac];
    const struct radio_settings radio = {
        .pan = MAC_PAN,
        .address = (uint16_t)settings.address,
        .channel = (uint8_t)settings.channel,
        .csma = chosen->uses_csma && settings.csma != 0,
        .backoff = settings.backoff != 0,
        .exponent = (uint8_t)settings.backoff_exponent,
        .finish = settings.finish == FINISH_BUSY ? RADIO_FINISH_BUSY : RADIO_FINISH_INTERRUPT,
        .seed = settings.seed,
        .is_yetimote = settings.radio_profile == RADIO_PROFILE_YETIMOTE,
    };

    stop();
    for (unsigned i = 0; i < NEIGHBOURS; i++) {
        received[i].sequence = -1;
    }
    configured = radio_configure(&radio);
    protocol = chosen;
    protocol->start();
    route_configure();
    if (settings.flood_us > 0) {
        actor_signal(&sixlowpan_actor, SIXLOWPAN_SIGNAL_START);
    }
}

bool mac_init(void)
{
    static const struct radio_callbacks callbacks = { .received = receive, .confirmed = confirmed };

    if (!radio_init(&callbacks)) {
        return false;
    }
    configure();
    return configured;
}

bool mac_is_configured(void)
{
    return configured;
}

void mac_report(struct line *line)
{
    line_text(line, " name=");
    line_text(line, protocols[settings.mac]->name);
    if (protocols[settings.mac]->report != NULL) {
        protocols[settings.mac]->report(line);
    }
}

static void handle(const struct message *message)
{
    if (message->type == PACKET_DOWN) {
        send(message->content);
        return;
    }
    if (message->type == PACKET_UP) { /* turned round */
        receive(message->content);
        return;
    }
    if ((message->value & MAC_SIGNAL_STOP) != 0) {
        stop();
        actor_signal(&sixlowpan_actor, SIXLOWPAN_SIGNAL_STOP);
    }
    if ((message->value & MAC_SIGNAL_CONFIGURE) != 0) {
        configure();
        actor_signal(&console_actor, CONSOLE_SIGNAL_CONFIGURED);
    }
    if ((message->value & MAC_SIGNAL_START) != 0 && protocol == NULL) {
        configure();
    }
    if ((message->value & MAC_SIGNAL_RADIO) != 0) {
        radio_service();
    }
    if ((message->value & PROTOCOL_SIGNALS) != 0 && protocol != NULL && protocol->signal != NULL) {
        protocol->signal(message->value & PROTOCOL_SIGNALS);
    }
}

ACTOR(mac_actor, ACTOR_MAC, handle, 2, STACK_BYTES(768u));
