/*
 * A TSCH-like MAC: IEEE Std 802.15.4-2015 6.2.6 as far as slots, absolute slot number, slotframe, channel hopping and
 * retries in shared cells go; frames stay those of mac.c. slots_plan.h has the offsets and the schedule.
 *
 * The alarm's interrupt is where the state machine is entered; it sends what was loaded, and leaves the rest, which needs
 * the radio's SPI, to the mac actor. The radio acknowledges by itself (12 symbols after the frame), so an acknowledgement
 * carries no time: nodes correct theirs by beacons, of which each comes from the level above.
 */
#include "mac.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "alarm.h"
#include "line.h"
#include "settings.h"
#include "slot_clock.h"
#include "slot_radio.h"
#include "slots_plan.h"
#include "timer.h"

#define RETRIES 15u                /* Claeys et al., "RIOT and OpenWSN 6TiSCH: Happy Together", PEMWN 2020, table I */
#define LEAST_EXPONENT 1u          /* macMinBe and macMaxBe of TSCH: IEEE Std 802.15.4-2015 6.2.5.3 (unverified) */
#define MOST_EXPONENT 7u
#define FIRST_SLOT_US 500000u      /* after the coordinator's start, so that settings that follow disturb no slot */
#define BEACONS_LOST 16u           /* that many missed in a row: not synchronised any more */
#define ACK_US (12u * 16u + 11u * 32u) /* turnaround, and 11 octets of acknowledgement: IEEE 802.15.4-2006 6.4.1, 7.2.2.3 */
#define LATE_US 500u               /* a slot can begin this late: nothing is on the air before its 820th us */
#define SETTLE_US 300u             /* until the driver knows of what has come */

/* A beacon: kind, level, absolute slot number (32 bits, little endian). */
enum { BEACON_KIND, BEACON_LEVEL, BEACON_ASN, BEACON_LENGTH = 6 };

static void interrupt(struct alarm *alarm);

static struct {
    struct slot_clock clock; /* of slots: its number is that of the last slot in use */
    struct slot_place place; /* of that slot */
    struct slot_node node;
    enum slot_use use;       /* of it, or of the next one */
    uint16_t gap;            /* slots to the next one */
    struct alarm alarm;
    enum { BEGIN, LISTEN, DECIDE, END } step; /* that is due next */
    uint32_t due_us;
    bool running; /* synchronised, or the coordinator */
    enum { NOTHING, OWN_BEACON, PACKET } sending;
    struct packet *packet; /* that is next, or being sent */
    uint8_t tries, exponent, skip; /* cells to let pass before the next try */
    struct packet_queue queue;
} slots = { .alarm = { .expired = interrupt } };

static struct counts {
    uint32_t used;    /* slots */
    uint32_t missed;  /* slots that the task came too late for */
    uint32_t beacons; /* sent by the coordinator, heard by any other node */
    uint32_t sent, retried, dropped;
    uint32_t desynced;
    uint32_t worst_us; /* correction */
} counts;

static const struct slot_template *template(void)
{
    return &slot_templates[settings.slot_us];
}

static bool is_coordinator(void)
{
    return settings.gateway != 0;
}

static void interrupt(struct alarm *alarm)
{
    (void)alarm;
    GPIORIG_EVENT(SLOT_INTERRUPT);
    actor_signal(&mac_actor, MAC_SIGNAL_PROTOCOL(0));
}

static void await(uint8_t step, uint32_t due_us)
{
    slots.step = step;
    slots.due_us = due_us;
    alarm_set(&slots.alarm, due_us);
}

static void take_packet(void)
{
    if (slots.packet == NULL) {
        slots.packet = packet_queue_take(&slots.queue);
        slots.tries = 0;
        slots.skip = 0;
        slots.exponent = LEAST_EXPONENT;
    }
    slots.node.send_cell = 0;
    if (slots.packet != NULL) {
        slots.node.send_cell = slots_cell(slots.packet->link_destination, (uint16_t)settings.slotframe);
    }
}

/** Finds the next slot in which there is something to do, and waits for it. Returns how many it comes too late for. */
static uint32_t choose(void)
{
    struct slot_place place = slots.place;
    uint32_t now_us = timer_now(), late = 0;

    take_packet();
    for (uint16_t gap = 1;; gap++) {
        enum slot_use use;

        slots_next(&place, (uint16_t)settings.slotframe);
        use = slots_use(&slots.node, place);
        if (use == SLOT_IDLE) {
            continue;
        }
        if (timer_reached(slot_clock_start_us(&slots.clock, gap) + LATE_US, now_us)) {
            slots.gap = gap;
            slots.use = use;
            await(BEGIN, slot_clock_start_us(&slots.clock, gap));
            return late;
        }
        late++;
    }
}

/** Not synchronised any more: listens until it is. */
static void lose(void)
{
    counts.desynced++;
    slots.running = false;
    alarm_cancel(&slots.alarm);
    slot_radio_leave_slot();
    slot_radio_listen(true);
}

static void send_beacon(uint32_t sfd_us)
{
    uint8_t bytes[BEACON_LENGTH] = { [BEACON_KIND] = SLOT_BEACON_SLOTS };
    struct packet *beacon;

    bytes[BEACON_LEVEL] = slots.node.level;
    put_le16(bytes + BEACON_ASN, (uint16_t)slots.clock.number);
    put_le16(bytes + BEACON_ASN + 2, (uint16_t)(slots.clock.number >> 16));
    beacon = slot_radio_beacon(bytes, BEACON_LENGTH, (uint16_t)slots.clock.number);
    if (beacon == NULL) {
        return;
    }
    slots.sending = OWN_BEACON;
    if (!slot_radio_send_at(beacon, sfd_us)) {
        slots.sending = NOTHING;
    }
    packet_free(beacon);
}

static void send_packet(uint32_t sfd_us)
{
    if (slots.skip > 0) {
        slots.skip--;
        return;
    }
    slots.sending = PACKET;
    if (!slot_radio_send_at(slots.packet, sfd_us)) {
        slots.sending = NOTHING;
    }
}

static void begin(void)
{
    const struct slot_template *times = template();
    uint32_t sfd_us;

    slot_clock_advance(&slots.clock, slots.gap);
    while (slots.gap-- > 0) {
        slots_next(&slots.place, (uint16_t)settings.slotframe);
    }
    if (!is_coordinator() &&
        slot_clock_age(&slots.clock) > BEACONS_LOST * SLOTS_LEVELS * (uint32_t)settings.slotframe) {
        slot_clock_reset(&slots.clock, slots.clock.nominal_us);
        lose();
        return;
    }
    counts.used++;
    if (slots.place.cell == SLOTS_BEACON_CELL) {
        GPIORIG_EVENT_ID(SLOT_FRAME, (uint16_t)slots.clock.number);
    }
    slot_radio_enter_slot((uint16_t)slots.clock.number);
    if (settings.hopping != 0) {
        radio_set_channel(slots_channel(slots.clock.number));
    }
    sfd_us = slots.clock.start_us + times->tx_offset_us;
    if (slots.use == SLOT_HEAR || slots.use == SLOT_HEAR_BEACON) {
        await(LISTEN, sfd_us - times->rx_wait_us / 2u - RADIO_LISTEN_US);
        return;
    }
    await(END, slots.clock.start_us + times->length_us - SETTLE_US);
    if (slots.use == SLOT_SEND_BEACON) {
        send_beacon(sfd_us);
    } else {
        send_packet(sfd_us);
    }
    if (slots.sending == NOTHING) {
        await(END, timer_now());
    }
}

static void end(void)
{
    if (slots.sending != NOTHING) {
        radio_abort(); /* it never ends */
    }
    slot_radio_listen(false);
    slot_radio_leave_slot();
    counts.missed += choose();
}

static void take_step(void)
{
    uint32_t start_us = slots.clock.start_us;

    switch (slots.step) {
    case BEGIN:
        begin();
        break;
    case LISTEN:
        slot_radio_listen(true);
        await(DECIDE, start_us + template()->tx_offset_us + template()->rx_wait_us / 2u + SETTLE_US);
        break;
    case DECIDE:
        if (radio_is_receiving()) {
            await(END, start_us + template()->length_us - SETTLE_US);
        } else {
            end();
        }
        break;
    case END:
        end();
        break;
    }
}

static void signal(uint16_t bits)
{
    (void)bits;
    while (slots.running && timer_reached(timer_now(), slots.due_us)) {
        take_step();
    }
}

static void run(uint8_t level)
{
    slots.node.level = level;
    slots.running = true;
    slots.place = slots_place(slots.clock.number, (uint16_t)settings.slotframe);
    slot_radio_listen(false);
    (void)choose();
}

static void hear_beacon(uint8_t level, uint32_t asn, uint32_t start_us)
{
    uint32_t error_us;

    if (is_coordinator() || (slots.running && level >= slots.node.level)) {
        return;
    }
    counts.beacons++;
    if (!slot_clock_hear(&slots.clock, asn, start_us)) {
        if (slots.running) {
            lose();
        }
    } else if (slots.running) {
        slots.node.level = (uint8_t)(level + 1u);
        error_us = (uint32_t)(slots.clock.error_us < 0 ? -slots.clock.error_us : slots.clock.error_us);
        counts.worst_us = error_us > counts.worst_us ? error_us : counts.worst_us;
    } else {
        run((uint8_t)(level + 1u));
    }
}

/** The slot's frame has come: nothing more will, once it is acknowledged. */
static void frame_came(const struct packet *packet)
{
    if (slots.running && (slots.step == DECIDE || slots.step == END) && slots.sending == NOTHING) {
        await(END, packet->received_us + RADIO_FRAME_US(packet->length + RADIO_FCS_LENGTH) + ACK_US + SETTLE_US);
    }
}

static bool received(struct packet *packet)
{
    const uint8_t *bytes = slot_radio_beacon_bytes(packet, SLOT_BEACON_SLOTS, BEACON_LENGTH);

    frame_came(packet);
    if (bytes == NULL) {
        return false;
    }
    hear_beacon(bytes[BEACON_LEVEL], get_le16(bytes + BEACON_ASN) | (uint32_t)get_le16(bytes + BEACON_ASN + 2) << 16,
                packet->received_us - template()->tx_offset_us);
    packet_free(packet);
    return true;
}

static void conclude(enum radio_result result)
{
    if (result == RADIO_SENT) {
        counts.sent++;
    } else if (++slots.tries <= RETRIES) {
        counts.retried++;
        if (result == RADIO_NO_ACK) {
            slots.skip = (uint8_t)(slot_radio_draw() & ((1u << slots.exponent) - 1u));
            slots.exponent = (uint8_t)(slots.exponent < MOST_EXPONENT ? slots.exponent + 1u : MOST_EXPONENT);
        }
        return;
    } else {
        counts.dropped++;
    }
    mac_settle(slots.packet, result);
    slots.packet = NULL;
}

static void confirmed(uint16_t id, enum radio_result result)
{
    uint8_t what = (uint8_t)slots.sending;

    (void)id;
    slot_radio_confirmed();
    slots.sending = NOTHING;
    counts.missed += result == RADIO_BUSY ? 1u : 0u;
    if (what == PACKET) {
        conclude(result);
    } else if (what == OWN_BEACON && result == RADIO_SENT && is_coordinator()) {
        counts.beacons++;
    }
    if (slots.running && slots.step == END) {
        await(END, timer_now());
    }
}

static void start(void)
{
    uint32_t slot_us = template()->length_us;

    counts = (struct counts){ 0 };
    slots.running = false;
    slots.sending = NOTHING;
    slots.node.own_cell = slots_cell((uint16_t)settings.address, (uint16_t)settings.slotframe);
    if (settings.hopping != 0) {
        radio_set_channel(slots_channel(0));
    }
    slot_radio_start();
    if (is_coordinator()) {
        slot_clock_start(&slots.clock, slot_us, 0, timer_now() + FIRST_SLOT_US);
        run(0);
    } else {
        slot_clock_reset(&slots.clock, slot_us);
    }
}

static void stop(void)
{
    slots.running = false;
    alarm_cancel(&slots.alarm);
    slots.sending = NOTHING;
    slot_radio_stop();
    slot_radio_give_up(&slots.packet, &slots.queue);
}

/** There is no cell for broadcasts. */
static void send(struct packet *packet)
{
    if (packet->link_destination == MAC_BROADCAST) {
        packet_settle(packet, FATE_BUSY);
    } else if (!packet_queue_put(&slots.queue, packet, (uint16_t)settings.queue)) {
        packet_drop(packet);
    } else if (slots.running && slots.step == BEGIN) {
        (void)choose(); /* its cell may come before what was waited for */
    }
}

static void report(struct line *line)
{
    line_pair(line, "synced", slots.running ? 1 : 0);
    line_pair(line, "level", slots.node.level);
    line_pair(line, "used", counts.used);
    line_pair(line, "missed", counts.missed);
    line_pair(line, "beacons", counts.beacons);
    line_pair(line, "sent", counts.sent);
    line_pair(line, "retried", counts.retried);
    line_pair(line, "dropped", counts.dropped);
    line_pair(line, "desynced", counts.desynced);
    line_pair(line, "worst_us", counts.worst_us);
}

const struct mac mac_slots = {
    .name = "slots",
    .asks_acknowledgements = true,
    .start = start,
    .stop = stop,
    .send = send,
    .received = received,
    .confirmed = confirmed,
    .signal = signal,
    .report = report,
};
