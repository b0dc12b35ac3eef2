/*
 * A TDMA MAC after YetiMAC (Rodriguez-Zurrunero et al., Electronics 8 (2019), 3.2 and 3.3): a node with a packet sends a beacon in
 * a beacon slot drawn at random, and the packet in the packet slot of the same number; a node that received a beacon for it listens
 * then, and otherwise in the beacon slots only. The gateway always listens and is the source of time. tdma_plan.h has the times.
 *
 * As in the paper, a task sends: if it gets the processor late, its frame is sent late, possibly outside its slot (counted as
 * displaced). Only synchronisation packets are loaded ahead and sent by the alarm's interrupt.
 */
#include "mac.h"

#include "gpiorig/probe.h"

#include "line.h"
#include "slotted.h"
#include "sync_task.h"
#include "tdma_plan.h"
#include "timer.h"

#define RETRIES 3u                          /* macMaxFrameRetries: IEEE 802.15.4-2006 table 86 */
#define SYNC_SFD_US (TDMA_GUARD_US + 2500u) /* in the frame: a TelosB loads a beacon in time */
#define SYNCS_LOST 3u                       /* consecutive ones, after which a node is not synchronised any more */
/* The id of slot.active. Part 0: beacons; 1, 2, 3: packet slots. */
#define ACTIVE_ID(part) ((uint16_t)(tdma.node.clock.number * (1u + TDMA_SLOTS) + (part)))

/* A beacon: kind, level, slot, number of the frame (32 bits), destination; little endian. */
enum { BEACON_KIND, BEACON_LEVEL, BEACON_SLOT, BEACON_FRAME, BEACON_DESTINATION = BEACON_FRAME + 4, BEACON_LENGTH = 9 };
#define NO_SLOT 0xFFu /* of a synchronisation packet: no packet follows */

#define FOLLOW_SYNC MAC_SIGNAL_PROTOCOL(1)

/* What happens in a frame, in its order. Each packet slot has three steps. */
enum step { FRAME, BEACON, BEACONS_END, SLOTS };
enum slot_step { SLOT_START, SLOT_SEND, SLOT_END, PER_SLOT };
#define STEPS (SLOTS + PER_SLOT * TDMA_SLOTS)
#define SLOT_OF(step) ((uint8_t)(((unsigned)(step) - SLOTS) / PER_SLOT))
#define SLOT_STEP_OF(step) ((uint8_t)(((unsigned)(step) - SLOTS) % PER_SLOT))

static struct {
    struct slotted node;
    uint32_t sync_frames;   /* from one synchronisation packet to the next */
    uint8_t step;           /* the next one */
    uint8_t level;          /* hops from the gateway */
    bool synchronises;      /* in this frame it sends a synchronisation packet */
    uint8_t own_slot;       /* beacon and packet slot of this frame, or NO_SLOT */
    uint8_t awaited_slots;  /* bit i: a beacon announced a packet for us in packet slot i */
    bool announced;         /* the beacon of this frame is out */
    uint32_t offset_us;     /* of the packet in its slot */
    uint32_t sending_frame; /* in which the transmission began */
    struct sync_packet sync;
} tdma = { .node.alarm.expired = slotted_interrupt };

static struct counts {
    uint32_t frames;
    uint32_t syncs;     /* sent by a gateway, received by any other node */
    uint32_t heard;     /* beacons for us */
    uint32_t displaced; /* frames that the task sent after their slot */
} counts;

/** From the start of the frame. */
static uint32_t step_us(uint8_t step)
{
    uint8_t slot = SLOT_OF(step);

    if (step == BEACON) {
        return tdma_beacon_slot_us(tdma.synchronises ? 0 : tdma.own_slot);
    }
    if (step == BEACONS_END) {
        return TDMA_BEACONS_US;
    }
    switch (SLOT_STEP_OF(step)) {
    case SLOT_START:
        return tdma_packet_slot_us(tdma.node.clock.nominal_us, slot);
    case SLOT_SEND:
        return tdma_packet_slot_us(tdma.node.clock.nominal_us, slot) + tdma.offset_us;
    default:
        return tdma_packet_slot_us(tdma.node.clock.nominal_us, slot + 1u);
    }
}

static uint32_t due_us(void)
{
    return tdma.step == FRAME ? slot_clock_start_us(&tdma.node.clock, 1) : tdma.node.clock.start_us + step_us(tdma.step);
}

static bool is_needed(uint8_t step)
{
    uint8_t slot = SLOT_OF(step);

    if (step == BEACON) {
        return tdma.synchronises || tdma.own_slot != NO_SLOT;
    }
    if (step < SLOTS) {
        return true;
    }
    if (SLOT_STEP_OF(step) == SLOT_SEND) {
        return slot == tdma.own_slot;
    }
    return slot == tdma.own_slot || (tdma.awaited_slots & 1u << slot) != 0;
}

/** Counts a frame of this length that, sent now, ends after its slot: the task was late. */
static void count_displaced(uint32_t slot_end_us, uint16_t length)
{
    uint32_t air_us = RADIO_FIRE_TO_SFD_US + RADIO_FRAME_US((uint32_t)length + RADIO_FCS_LENGTH);

    if (timer_reached(timer_now() + air_us, tdma.node.clock.start_us + slot_end_us)) {
        counts.displaced++;
    }
}

static void send_beacon(void)
{
    uint8_t bytes[BEACON_LENGTH] = { [BEACON_KIND] = SLOT_BEACON_TDMA };
    struct packet *beacon;
    bool started;

    bytes[BEACON_LEVEL] = tdma.level;
    bytes[BEACON_SLOT] = tdma.synchronises ? NO_SLOT : tdma.own_slot;
    put_le16(bytes + BEACON_FRAME, (uint16_t)tdma.node.clock.number);
    put_le16(bytes + BEACON_FRAME + 2, (uint16_t)(tdma.node.clock.number >> 16));
    put_le16(bytes + BEACON_DESTINATION, tdma.synchronises ? MAC_BROADCAST : tdma.node.packet->link_destination);
    beacon = slotted_beacon(bytes, BEACON_LENGTH, (uint16_t)tdma.node.clock.number);
    if (beacon == NULL) {
        return;
    }
    tdma.node.sending = tdma.synchronises ? SENDING_SYNC : SENDING_ANNOUNCEMENT;
    tdma.sending_frame = tdma.node.clock.number;
    if (tdma.synchronises) {
        started = slotted_send_at(beacon, tdma.node.clock.start_us + SYNC_SFD_US);
    } else {
        count_displaced(tdma_beacon_slot_us(tdma.own_slot + 1u), beacon->length);
        started = slotted_send(beacon);
    }
    if (!started) {
        tdma.node.sending = SENDING_NOTHING;
    }
    packet_free(beacon);
}

static void send_packet(uint8_t slot)
{
    if (!tdma.announced || tdma.node.sending != SENDING_NOTHING || (tdma.awaited_slots & 1u << slot) != 0) {
        return; /* in a later frame; a node that announced a packet for us in this slot comes first */
    }
    count_displaced(tdma_packet_slot_us(tdma.node.clock.nominal_us, slot + 1u), tdma.node.packet->length);
    tdma.node.sending = SENDING_PACKET;
    tdma.sending_frame = tdma.node.clock.number;
    if (!slotted_send(tdma.node.packet)) {
        tdma.node.sending = SENDING_NOTHING;
    }
}

/** Chooses what the node sends in this frame. */
static void plan_frame(void)
{
    uint32_t turn = tdma_sync_turn(tdma.node.clock.number, tdma.sync_frames);

    (void)slotted_next_packet(&tdma.node);
    tdma.synchronises = turn == tdma.level;
    tdma.announced = false;
    tdma.awaited_slots = 0;
    tdma.own_slot = NO_SLOT;
    if (tdma.node.packet != NULL && tdma.node.sending == SENDING_NOTHING && !tdma.synchronises) {
        uint32_t reserved = turn < TDMA_LEVELS ? 1u : 0u; /* beacon slot 0, for a synchronisation packet */

        tdma.own_slot = (uint8_t)(reserved + slotted_draw() % (TDMA_SLOTS - reserved));
        tdma.offset_us = tdma_offset_us(tdma.node.clock.nominal_us, slotted_draw());
    }
}

static void begin_frame(void)
{
    slot_clock_advance(&tdma.node.clock, 1);
    if (slotted_is_lost(&tdma.node, SYNCS_LOST * tdma.sync_frames)) {
        return;
    }
    counts.frames++;
    GPIORIG_EVENT_ID(SLOT_FRAME, (uint16_t)tdma.node.clock.number);
    slotted_enter_slot(ACTIVE_ID(0));
    if (tdma.node.sending != SENDING_NOTHING && tdma.node.clock.number - tdma.sending_frame > 1u) {
        radio_abort(); /* it never ends */
    }
    plan_frame();
    slotted_listen(true);
}

static void take_slot_step(uint8_t slot, uint8_t step)
{
    if (step == SLOT_START) {
        slotted_enter_slot(ACTIVE_ID(1u + slot));
        slotted_listen(slotted_is_gateway() || (tdma.awaited_slots & 1u << slot) != 0);
    } else if (step == SLOT_SEND) {
        send_packet(slot);
    } else {
        slotted_listen(slotted_is_gateway());
        slotted_leave_slot();
    }
}

static void take_step(void)
{
    if (tdma.step == FRAME) {
        begin_frame();
    } else if (tdma.step == BEACON) {
        send_beacon();
    } else if (tdma.step == BEACONS_END) {
        slotted_listen(slotted_is_gateway());
        slotted_leave_slot();
    } else {
        take_slot_step(SLOT_OF(tdma.step), SLOT_STEP_OF(tdma.step));
    }
}

static void run(uint8_t level)
{
    tdma.level = level;
    tdma.node.running = true;
    tdma.step = FRAME;
    alarm_set(&tdma.node.alarm, due_us());
}

/** The clock has been set by a synchronisation packet. */
static void follow_sync(void)
{
    uint8_t level = (uint8_t)(tdma.sync.level + 1u);

    if (tdma.node.running && !tdma.sync.agrees) {
        slotted_lose(&tdma.node);
    } else if (tdma.node.running) {
        tdma.level = level;
        alarm_set(&tdma.node.alarm, due_us());
    } else if (tdma.sync.agrees) {
        run(level);
    }
}

/** Takes all steps that are due, in their order, however late. */
static void signal(uint16_t bits)
{
    if ((bits & FOLLOW_SYNC) != 0) {
        follow_sync();
    }
    while (tdma.node.running && timer_reached(timer_now(), due_us())) {
        take_step();
        do {
            tdma.step = (uint8_t)((tdma.step + 1u) % STEPS);
        } while (!is_needed(tdma.step));
    }
    if (tdma.node.running) {
        alarm_set(&tdma.node.alarm, due_us());
    }
}

static void receive_sync(uint8_t level, uint32_t frame, uint32_t sfd_us)
{
    if (slotted_is_gateway() || (tdma.node.running && level >= tdma.level)) {
        return;
    }
    counts.syncs++;
    tdma.sync = (struct sync_packet){ .level = level, .frame = frame, .start_us = sfd_us - SYNC_SFD_US };
    if (sync_task_is_on()) {
        sync_task_take(&tdma.node.clock, &tdma.sync, FOLLOW_SYNC);
    } else {
        tdma.sync.agrees = slot_clock_hear(&tdma.node.clock, frame, tdma.sync.start_us);
        follow_sync();
    }
}

static bool received(struct packet *packet)
{
    const uint8_t *bytes = slotted_beacon_bytes(packet, SLOT_BEACON_TDMA, BEACON_LENGTH);
    uint32_t frame;

    if (bytes == NULL) {
        return false;
    }
    frame = get_le16(bytes + BEACON_FRAME) | (uint32_t)get_le16(bytes + BEACON_FRAME + 2) << 16;
    if (bytes[BEACON_SLOT] == NO_SLOT) {
        receive_sync(bytes[BEACON_LEVEL], frame, packet->received_us);
    } else if (tdma.node.running && frame == tdma.node.clock.number && bytes[BEACON_SLOT] < TDMA_SLOTS &&
               (get_le16(bytes + BEACON_DESTINATION) == settings.address ||
                get_le16(bytes + BEACON_DESTINATION) == MAC_BROADCAST)) {
        counts.heard++;
        tdma.awaited_slots |= (uint8_t)(1u << bytes[BEACON_SLOT]);
    }
    packet_free(packet);
    return true;
}

static void confirmed(uint16_t id, enum radio_result result)
{
    uint8_t what = tdma.node.sending;

    (void)id;
    slotted_confirmed();
    tdma.node.sending = SENDING_NOTHING;
    if (what == SENDING_PACKET) {
        slotted_conclude(&tdma.node, result, RETRIES);
    } else if (what == SENDING_ANNOUNCEMENT && result == RADIO_SENT) {
        tdma.node.counts.beacons++;
        tdma.announced = tdma.sending_frame == tdma.node.clock.number;
    } else if (what == SENDING_SYNC && result == RADIO_SENT && slotted_is_gateway()) {
        counts.syncs++;
    }
}

static void start(void)
{
    uint32_t frame_us = tdma_frame_us(settings.rdc);

    counts = (struct counts){ 0 };
    tdma.sync_frames = tdma_sync_frames(settings.sync_us, frame_us);
    slotted_start(&tdma.node, frame_us);
    if (slotted_is_gateway()) {
        slot_clock_start(&tdma.node.clock, frame_us, TDMA_LEVELS - 1u, timer_now() + SLOTTED_FIRST_US - frame_us);
        run(0);
    }
}

static void stop(void)
{
    actor_unsignal(&mac_actor, FOLLOW_SYNC);
    slotted_stop(&tdma.node);
}

static void send(struct packet *packet)
{
    if (!packet_queue_put(&tdma.node.queue, packet, (uint16_t)settings.queue)) {
        packet_drop(packet);
    }
}

static void report(struct line *line)
{
    line_pair(line, "synced", tdma.node.running ? 1 : 0);
    line_pair(line, "level", tdma.level);
    line_pair(line, "frames", counts.frames);
    line_pair(line, "syncs", counts.syncs);
    line_pair(line, "beacons", tdma.node.counts.beacons);
    line_pair(line, "heard", counts.heard);
    slotted_report(&tdma.node, line);
    line_pair(line, "displaced", counts.displaced);
}

const struct mac mac_tdma = {
    .name = "tdma",
    .asks_acknowledgements = true,
    .start = start,
    .stop = stop,
    .send = send,
    .received = received,
    .confirmed = confirmed,
    .signal = signal,
    .report = report,
};
