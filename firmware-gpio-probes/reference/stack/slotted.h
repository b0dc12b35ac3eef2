/**
 * What the slotted MACs (mac_tdma.c, mac_slots.c) share: synchronisation, the packet that is sent, counters, the receiver on and
 * off, frames at a set time, beacons, random numbers. All functions run in mac_actor. Inline are those in the path of a probed
 * step, so that no call delays a probe.
 */
#ifndef SLOTTED_H
#define SLOTTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm.h"
#include "line.h"
#include "packet.h"
#include "radio.h"
#include "settings.h"
#include "slot_clock.h"

#define SLOTTED_FIRST_US 500000u /* from the gateway's start to its first slot, so that later settings disturb no slot */

/* Packet ids of the MAC's own frames; those of the application are below. */
#define SLOT_BEACON_ID 0xF000u

/* A beacon's payload begins with one of these (RFC 4944 5.1: not a LoWPAN frame) and ends with the id of the frame. */
#define SLOT_BEACON_TDMA 0x20u
#define SLOT_BEACON_SLOTS 0x21u

enum slotted_sending { SENDING_NOTHING, SENDING_SYNC, SENDING_ANNOUNCEMENT, SENDING_PACKET };

struct slotted {
    struct slot_clock clock; /* of TDMA frames, or of slots */
    struct alarm alarm;      /* for the next step; its function is slotted_interrupt */
    bool running;            /* synchronised, or the gateway */
    uint8_t sending;         /* enum slotted_sending */
    struct packet *packet;   /* the next one, or the one that is sent */
    uint8_t tries;
    struct packet_queue queue;
    struct slotted_counts {
        uint32_t beacons; /* TDMA: announcements sent; slots: sent by the gateway, received by any other node */
        uint32_t sent, retried, dropped;
        uint32_t desynced;
    } counts;
};

/** The alarm's interrupt: gives mac_actor MAC_SIGNAL_PROTOCOL(0). */
void slotted_interrupt(struct alarm *alarm);

/** The clock and the counters are reset, nothing is sent, the radio listens. */
void slotted_start(struct slotted *node, uint32_t period_us);

/** Nothing is sent any more, no slot is in use, and the packets are settled; the receiver is left unchanged. */
void slotted_stop(struct slotted *node);

/** The end of synchronisation: listens until the node is synchronised again. */
void slotted_lose(struct slotted *node);

/** The end of a transmission of the packet: it is settled, or tried again up to `retries` times. */
void slotted_conclude(struct slotted *node, enum radio_result result, uint8_t retries);

/** The pairs sent, retried, dropped and desynced. */
void slotted_report(const struct slotted *node, struct line *line);

/** A slot in use begins and ends: the events slot.active. One that is still open ends first. */
void slotted_enter_slot(uint16_t id);
void slotted_leave_slot(void);

/** The receiver on or off, with the events slot.rx. */
void slotted_listen(bool on);

/** Sends at once; the end is confirmed. False: nothing was sent. */
bool slotted_send(struct packet *packet);

/**
 * Loads a frame and has the alarm's interrupt send it, so that its SFD ends at this time. True: the end will be confirmed, as
 * RADIO_BUSY when loading took until after the time.
 */
bool slotted_send_at(struct packet *packet, uint32_t sfd_us);

/** The first call when a transmission is confirmed. */
void slotted_confirmed(void);

/** A broadcast frame of the MAC's own around `length` bytes, which begin with SLOT_BEACON_*; NULL when there is no buffer. */
struct packet *slotted_beacon(const uint8_t *bytes, uint16_t length, uint16_t number);

/** The bytes in such a frame if there are `length` of them; NULL for any other frame. */
const uint8_t *slotted_beacon_bytes(struct packet *packet, uint8_t kind, uint16_t length);

/** A random number; the same sequence for the same seed and address. */
uint32_t slotted_draw(void);

/** The source of time, which TSCH calls the coordinator. */
static inline bool slotted_is_gateway(void)
{
    return settings.gateway != 0;
}

/** True when the last beacon is more than `periods` old: the node is not synchronised any more. */
static inline bool slotted_is_lost(struct slotted *node, uint32_t periods)
{
    if (slotted_is_gateway() || slot_clock_age(&node->clock) <= periods) {
        return false;
    }
    slot_clock_reset(&node->clock, node->clock.nominal_us);
    slotted_lose(node);
    return true;
}

/** Takes the next packet from the queue, unless one is being sent; true if it did so, even if the queue is empty. */
static inline bool slotted_next_packet(struct slotted *node)
{
    if (node->packet != NULL) {
        return false;
    }
    node->packet = packet_queue_take(&node->queue);
    node->tries = 0;
    return true;
}

#endif
