#include "slot_radio.h"

#include <stddef.h>
#include <string.h>

#include "gpiorig/probe.h"

#include "alarm.h"
#include "mac.h"
#include "radio.h"
#include "seed.h"
#include "settings.h"
#include "timer.h"

static void fire(struct alarm *alarm);

static struct alarm fire_alarm = { .expired = fire };
static bool listening, in_slot;
static volatile bool sending;
static uint16_t slot_id;
static uint32_t random_state;

static void fire(struct alarm *alarm)
{
    (void)alarm;
    if (radio_fire()) { /* first of all */
        GPIORIG_ENTER(SLOT_TX);
        sending = true;
    }
    GPIORIG_EVENT(SLOT_INTERRUPT);
}

void slot_radio_start(void)
{
    listening = false;
    sending = false;
    random_state = mix_seed(settings.seed, settings.address) | 1u; /* xorshift never leaves 0 */
    slot_radio_listen(true);
}

void slot_radio_confirmed(void)
{
    if (sending) {
        sending = false;
        GPIORIG_EXIT(SLOT_TX);
    }
}

void slot_radio_stop(void)
{
    alarm_cancel(&fire_alarm);
    if (radio_is_sending()) {
        radio_abort();
    }
    slot_radio_confirmed();
    slot_radio_leave_slot();
    if (listening) {
        listening = false;
        GPIORIG_EXIT(SLOT_RX);
    }
}

void slot_radio_give_up(struct packet **packet, struct packet_queue *queue)
{
    struct packet *next;

    if (*packet != NULL) {
        packet_settle(*packet, FATE_BUSY);
        *packet = NULL;
    }
    while ((next = packet_queue_take(queue)) != NULL) {
        packet_settle(next, FATE_BUSY);
    }
}

void slot_radio_enter_slot(uint16_t id)
{
    slot_radio_leave_slot();
    in_slot = true;
    slot_id = id;
    GPIORIG_ENTER_ID(SLOT_ACTIVE, id);
}

void slot_radio_leave_slot(void)
{
    if (in_slot) {
        in_slot = false;
        GPIORIG_EXIT_ID(SLOT_ACTIVE, slot_id);
    }
}

void slot_radio_listen(bool on)
{
    if (on == listening) {
        return;
    }
    listening = on;
    if (on) {
        GPIORIG_ENTER(SLOT_RX);
        radio_listen(true);
    } else {
        radio_listen(false);
        GPIORIG_EXIT(SLOT_RX);
    }
}

bool slot_radio_send(struct packet *packet)
{
    GPIORIG_ENTER(SLOT_TX);
    sending = radio_send(packet);
    if (!sending) {
        GPIORIG_EXIT(SLOT_TX);
    }
    return sending;
}

bool slot_radio_send_at(struct packet *packet, uint32_t sfd_us)
{
    uint32_t fire_us = sfd_us - RADIO_FIRE_TO_SFD_US;

    if (!radio_load(packet)) {
        return false;
    }
    if (timer_reached(timer_now(), fire_us)) {
        radio_abort();
    } else {
        alarm_set(&fire_alarm, fire_us);
    }
    return true;
}

struct packet *slot_radio_beacon(const uint8_t *bytes, uint16_t length, uint16_t number)
{
    struct packet *packet = packet_alloc();

    if (packet == NULL) {
        return NULL;
    }
    packet->id = (uint16_t)(SLOT_BEACON_ID | (number & 0xFFFu));
    packet->link_destination = MAC_BROADCAST;
    memcpy(packet_data(packet), bytes, length);
    put_be16(packet_data(packet) + length, packet->id);
    packet->length = (uint16_t)(length + 2u);
    mac_frame(packet);
    return packet;
}

const uint8_t *slot_radio_beacon_bytes(struct packet *packet, uint8_t kind, uint16_t length)
{
    const uint8_t *header = packet_data(packet);

    if (packet->length != MAC_HEADER_LENGTH + length + 2u || get_le16(header + 3) != MAC_PAN ||
        get_le16(header + 5) != MAC_BROADCAST || header[MAC_HEADER_LENGTH] != kind) {
        return NULL;
    }
    return header + MAC_HEADER_LENGTH;
}

/** Marsaglia's xorshift (Journal of Statistical Software 8, 14, 2003), shifts 13, 17, 5. */
uint32_t slot_radio_draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state >> 8;
}
