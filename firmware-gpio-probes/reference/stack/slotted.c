#include "slotted.h"

#include <string.h>

#include "gpiorig/probe.h"

#include "mac.h"
#include "random.h"
#include "seed.h"
#include "timer.h"

static void fire(struct alarm *alarm);

static struct alarm fire_alarm = { .expired = fire };
static bool listening, in_slot;
static volatile bool transmitting;
static uint16_t slot_id;
static uint32_t random_state;

static void fire(struct alarm *alarm)
{
    (void)alarm;
    if (radio_fire()) { /* first */
        GPIORIG_ENTER(SLOT_TX);
        transmitting = true;
    }
    GPIORIG_EVENT(SLOT_INTERRUPT);
}

void slotted_confirmed(void)
{
    if (transmitting) {
        transmitting = false;
        GPIORIG_EXIT(SLOT_TX);
    }
}

void slotted_enter_slot(uint16_t id)
{
    slotted_leave_slot();
    in_slot = true;
    slot_id = id;
    GPIORIG_ENTER_ID(SLOT_ACTIVE, id);
}

void slotted_leave_slot(void)
{
    if (in_slot) {
        in_slot = false;
        GPIORIG_EXIT_ID(SLOT_ACTIVE, slot_id);
    }
}

void slotted_listen(bool on)
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

bool slotted_send(struct packet *packet)
{
    GPIORIG_ENTER(SLOT_TX);
    transmitting = radio_send(packet);
    if (!transmitting) {
        GPIORIG_EXIT(SLOT_TX);
    }
    return transmitting;
}

bool slotted_send_at(struct packet *packet, uint32_t sfd_us)
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

struct packet *slotted_beacon(const uint8_t *bytes, uint16_t length, uint16_t number)
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

const uint8_t *slotted_beacon_bytes(struct packet *packet, uint8_t kind, uint16_t length)
{
    const uint8_t *header = packet_data(packet);

    if (packet->length != MAC_HEADER_LENGTH + length + 2u || get_le16(header + 3) != MAC_PAN ||
        get_le16(header + 5) != MAC_BROADCAST || header[MAC_HEADER_LENGTH] != kind) {
        return NULL;
    }
    return header + MAC_HEADER_LENGTH;
}

uint32_t slotted_draw(void)
{
    return random_draw(&random_state) >> 8;
}

void slotted_interrupt(struct alarm *alarm)
{
    (void)alarm;
    GPIORIG_EVENT(SLOT_INTERRUPT);
    actor_signal(&mac_actor, MAC_SIGNAL_PROTOCOL(0));
}

void slotted_start(struct slotted *node, uint32_t period_us)
{
    node->counts = (struct slotted_counts){ 0 };
    node->running = false;
    node->sending = SENDING_NOTHING;
    slot_clock_reset(&node->clock, period_us);
    listening = false;
    transmitting = false;
    random_state = mix_seed(settings.seed, settings.address) | 1u; /* xorshift never leaves 0 */
    slotted_listen(true);
}

void slotted_stop(struct slotted *node)
{
    node->running = false;
    alarm_cancel(&node->alarm);
    alarm_cancel(&fire_alarm);
    node->sending = SENDING_NOTHING;
    if (radio_is_sending()) {
        radio_abort();
    }
    slotted_confirmed();
    slotted_leave_slot();
    if (listening) {
        listening = false;
        GPIORIG_EXIT(SLOT_RX);
    }
    if (node->packet != NULL) {
        packet_settle(node->packet, FATE_BUSY);
    }
    while ((node->packet = packet_queue_take(&node->queue)) != NULL) {
        packet_settle(node->packet, FATE_BUSY);
    }
}

void slotted_lose(struct slotted *node)
{
    node->counts.desynced++;
    node->running = false;
    alarm_cancel(&node->alarm);
    slotted_leave_slot();
    slotted_listen(true);
}

void slotted_conclude(struct slotted *node, enum radio_result result, uint8_t retries)
{
    if (result == RADIO_SENT) {
        node->counts.sent++;
    } else if (++node->tries <= retries) {
        node->counts.retried++;
        return;
    } else {
        node->counts.dropped++;
    }
    mac_settle(node->packet, result);
    node->packet = NULL;
}

void slotted_report(const struct slotted *node, struct line *line)
{
    line_pair(line, "sent", node->counts.sent);
    line_pair(line, "retried", node->counts.retried);
    line_pair(line, "dropped", node->counts.dropped);
    line_pair(line, "desynced", node->counts.desynced);
}
