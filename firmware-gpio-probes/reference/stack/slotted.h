/**
 * The node of a slotted MAC, as mac_tdma.c and mac_slots.c extend it: synchronisation, the packet that is sent, and counters.
 * All functions run in mac_actor. Those on the path of a probed step are inline, so that no call delays a probe.
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

/** Nothing is sent, the radio listens; the clock is reset. */
void slotted_start(struct slotted *node, uint32_t period_us);

void slotted_stop(struct slotted *node);

/** The end of synchronisation: listens until the node is synchronised again. */
void slotted_lose(struct slotted *node);

/** The end of a transmission of the packet: it is settled, or tried again up to `retries` times. */
void slotted_conclude(struct slotted *node, enum radio_result result, uint8_t retries);

/** The pairs sent, retried, dropped and desynced. */
void slotted_report(const struct slotted *node, struct line *line);

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
