/*
 * A TSCH-like MAC: IEEE Std 802.15.4-2015 6.2.6 as far as slots, absolute slot number, slotframe, channel hopping and
 * retries in shared cells are concerned; frames are those of mac.c. slots_plan.h has the offsets and the schedule.
 *
 * The alarm's interrupt enters the state machine; it sends what was loaded, and leaves the rest, which needs the radio's SPI,
 * to the mac actor. The radio sends acknowledgements (12 symbols after the frame), so they carry no time: nodes correct their
 * clocks by beacons, which come from the level above.
 */
#include "mac.h"

#include "gpiorig/probe.h"

#include "line.h"
#include "slots_plan.h"
#include "slotted.h"
#include "timer.h"

#define RETRIES 15u                /* Claeys et al., "RIOT and OpenWSN 6TiSCH: Happy Together", PEMWN 2020, table I */
#define MIN_EXPONENT 1u          /* macMinBe and macMaxBe of TSCH: IEEE Std 802.15.4-2015 6.2.5.3 (unverified) */
#define MAX_EXPONENT 7u
#define BEACONS_LOST 16u           /* consecutive ones, after which a node is not synchronised any more */
#define ACK_US (12u * 16u + 11u * 32u) /* turnaround, and 11 bytes of acknowledgement: IEEE 802.15.4-2006 6.4.1, 7.2.2.3 */
#define LATE_US 500u               /* a slot can begin this late: nothing is on the air before its 820th us */
#define SETTLE_US 300u             /* until the driver has handled what arrived */

/* A beacon: kind, level, absolute slot number (32 bits, little endian). */
enum { BEACON_KIND, BEACON_LEVEL, BEACON_ASN, BEACON_LENGTH = 6 };

static struct {
    struct slotted node;     /* its clock's number is that of the last slot in use */
    struct slot_place place; /* of that slot */
    struct slot_node cells;
    enum slot_use use;       /* of it, or of the next one */
    uint16_t gap;            /* slots to the next one */
    enum { BEGIN, LISTEN, DECIDE, END } step; /* the next one */
    uint32_t due_us;
    uint8_t exponent, skip; /* cells to let pass before the next try */
} slots = { .node.alarm.expired = slotted_interrupt };

static struct counts {
    uint32_t used;     /* slots */
    uint32_t missed;   /* slots for which the task was too late */
    uint32_t worst_us; /* correction */
} counts;

static const struct slot_template *template(void)
{
    return &slot_templates[settings.slot_us];
}

static void await(uint8_t step, uint32_t due_us)
{
    slots.step = step;
    slots.due_us = due_us;
    alarm_set(&slots.node.alarm, due_us);
}

static void take_packet(void)
{
    if (slotted_next_packet(&slots.node)) {
        slots.skip = 0;
        slots.exponent = MIN_EXPONENT;
    }
    slots.cells.send_cell = 0;
    if (slots.node.packet != NULL) {
        slots.cells.send_cell = slots_cell(slots.node.packet->link_destination, (uint16_t)settings.slotframe);
    }
}

/** Finds the next slot that the node uses, and waits for it. Returns the number of those that are already over. */
static uint32_t choose(void)
{
    struct slot_place place = slots.place;
    uint32_t now_us = timer_now(), late = 0;

    take_packet();
    for (uint16_t gap = 1;; gap++) {
        enum slot_use use;

        slots_next(&place, (uint16_t)settings.slotframe);
        use = slots_use(&slots.cells, place);
        if (use == SLOT_IDLE) {
            continue;
        }
        if (timer_reached(slot_clock_start_us(&slots.node.clock, gap) + LATE_US, now_us)) {
            slots.gap = gap;
            slots.use = use;
            await(BEGIN, slot_clock_start_us(&slots.node.clock, gap));
            return late;
        }
        late++;
    }
}

static void send_beacon(uint32_t sfd_us)
{
    uint8_t bytes[BEACON_LENGTH] = { [BEACON_KIND] = SLOT_BEACON_SLOTS };
    struct packet *beacon;

    bytes[BEACON_LEVEL] = slots.cells.level;
    put_le16(bytes + BEACON_ASN, (uint16_t)slots.node.clock.number);
    put_le16(bytes + BEACON_ASN + 2, (uint16_t)(slots.node.clock.number >> 16));
    beacon = slotted_beacon(bytes, BEACON_LENGTH, (uint16_t)slots.node.clock.number);
    if (beacon == NULL) {
        return;
    }
    slots.node.sending = SENDING_SYNC;
    if (!slotted_send_at(beacon, sfd_us)) {
        slots.node.sending = SENDING_NOTHING;
    }
    packet_free(beacon);
}

static void send_packet(uint32_t sfd_us)
{
    if (slots.skip > 0) {
        slots.skip--;
        return;
    }
    slots.node.sending = SENDING_PACKET;
    if (!slotted_send_at(slots.node.packet, sfd_us)) {
        slots.node.sending = SENDING_NOTHING;
    }
}

static void begin(void)
{
    const struct slot_template *times = template();
    uint32_t sfd_us;

    slot_clock_advance(&slots.node.clock, slots.gap);
    while (slots.gap-- > 0) {
        slots_next(&slots.place, (uint16_t)settings.slotframe);
    }
    if (slotted_is_lost(&slots.node, BEACONS_LOST * SLOTS_LEVELS * (uint32_t)settings.slotframe)) {
        return;
    }
    counts.used++;
    if (slots.place.cell == SLOTS_BEACON_CELL) {
        GPIORIG_EVENT_ID(SLOT_FRAME, (uint16_t)slots.node.clock.number);
    }
    slotted_enter_slot((uint16_t)slots.node.clock.number);
    if (settings.hopping != 0) {
        radio_set_channel(slots_channel(slots.node.clock.number));
    }
    sfd_us = slots.node.clock.start_us + times->tx_offset_us;
    if (slots.use == SLOT_HEAR || slots.use == SLOT_HEAR_BEACON) {
        await(LISTEN, sfd_us - times->rx_wait_us / 2u - RADIO_LISTEN_US);
        return;
    }
    await(END, slots.node.clock.start_us + times->length_us - SETTLE_US);
    if (slots.use == SLOT_SEND_BEACON) {
        send_beacon(sfd_us);
    } else {
        send_packet(sfd_us);
    }
    if (slots.node.sending == SENDING_NOTHING) {
        await(END, timer_now());
    }
}

static void end(void)
{
    if (slots.node.sending != SENDING_NOTHING) {
        radio_abort(); /* it never ends */
    }
    slotted_listen(false);
    slotted_leave_slot();
    counts.missed += choose();
}

static void take_step(void)
{
    uint32_t start_us = slots.node.clock.start_us;

    switch (slots.step) {
    case BEGIN:
        begin();
        break;
    case LISTEN:
        slotted_listen(true);
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
    while (slots.node.running && timer_reached(timer_now(), slots.due_us)) {
        take_step();
    }
}

static void run(uint8_t level)
{
    slots.cells.level = level;
    slots.node.running = true;
    slots.place = slots_place(slots.node.clock.number, (uint16_t)settings.slotframe);
    slotted_listen(false);
    (void)choose();
}

static void receive_beacon(uint8_t level, uint32_t asn, uint32_t start_us)
{
    uint32_t error_us;

    if (slotted_is_gateway() || (slots.node.running && level >= slots.cells.level)) {
        return;
    }
    slots.node.counts.beacons++;
    if (!slot_clock_hear(&slots.node.clock, asn, start_us)) {
        if (slots.node.running) {
            slotted_lose(&slots.node);
        }
    } else if (slots.node.running) {
        slots.cells.level = (uint8_t)(level + 1u);
        error_us = (uint32_t)(slots.node.clock.error_us < 0 ? -slots.node.clock.error_us : slots.node.clock.error_us);
        counts.worst_us = error_us > counts.worst_us ? error_us : counts.worst_us;
    } else {
        run((uint8_t)(level + 1u));
    }
}

/** The slot's frame has arrived: the slot ends when it is acknowledged. */
static void frame_arrived(const struct packet *packet)
{
    if (slots.node.running && (slots.step == DECIDE || slots.step == END) && slots.node.sending == SENDING_NOTHING) {
        await(END, packet->received_us + RADIO_FRAME_US(packet->length + RADIO_FCS_LENGTH) + ACK_US + SETTLE_US);
    }
}

static bool received(struct packet *packet)
{
    const uint8_t *bytes = slotted_beacon_bytes(packet, SLOT_BEACON_SLOTS, BEACON_LENGTH);

    frame_arrived(packet);
    if (bytes == NULL) {
        return false;
    }
    receive_beacon(bytes[BEACON_LEVEL], get_le16(bytes + BEACON_ASN) | (uint32_t)get_le16(bytes + BEACON_ASN + 2) << 16,
                packet->received_us - template()->tx_offset_us);
    packet_free(packet);
    return true;
}

static void confirmed(uint16_t id, enum radio_result result)
{
    uint8_t what = slots.node.sending;

    (void)id;
    slotted_confirmed();
    slots.node.sending = SENDING_NOTHING;
    counts.missed += result == RADIO_BUSY ? 1u : 0u;
    if (what == SENDING_PACKET) {
        slotted_conclude(&slots.node, result, RETRIES);
        if (slots.node.packet != NULL && result == RADIO_NO_ACK) {
            slots.skip = (uint8_t)(slotted_draw() & ((1u << slots.exponent) - 1u));
            slots.exponent = (uint8_t)(slots.exponent < MAX_EXPONENT ? slots.exponent + 1u : MAX_EXPONENT);
        }
    } else if (what == SENDING_SYNC && result == RADIO_SENT && slotted_is_gateway()) {
        slots.node.counts.beacons++;
    }
    if (slots.node.running && slots.step == END) {
        await(END, timer_now());
    }
}

static void start(void)
{
    uint32_t slot_us = template()->length_us;

    counts = (struct counts){ 0 };
    slots.cells.own_cell = slots_cell((uint16_t)settings.address, (uint16_t)settings.slotframe);
    if (settings.hopping != 0) {
        radio_set_channel(slots_channel(0));
    }
    slotted_start(&slots.node, slot_us);
    if (slotted_is_gateway()) {
        slot_clock_start(&slots.node.clock, slot_us, 0, timer_now() + SLOTTED_FIRST_US);
        run(0);
    }
}

static void stop(void)
{
    slotted_stop(&slots.node);
}

/** There is no cell for broadcasts. */
static void send(struct packet *packet)
{
    if (packet->link_destination == MAC_BROADCAST) {
        packet_settle(packet, FATE_BUSY);
    } else if (!packet_queue_put(&slots.node.queue, packet, (uint16_t)settings.queue)) {
        packet_drop(packet);
    } else if (slots.node.running && slots.step == BEGIN) {
        (void)choose(); /* its cell may be before the slot that is awaited */
    }
}

static void report(struct line *line)
{
    line_pair(line, "synced", slots.node.running ? 1 : 0);
    line_pair(line, "level", slots.cells.level);
    line_pair(line, "used", counts.used);
    line_pair(line, "missed", counts.missed);
    line_pair(line, "beacons", slots.node.counts.beacons);
    slotted_report(&slots.node, line);
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
