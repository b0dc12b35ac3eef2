/**
 * Where everything is in a slot and a slotframe of mac_slots. No dependencies: compiled for the PC as well
 * (tests/firmware/test_slots.py).
 *
 * Offsets: the 10 ms timeslot of IEEE Std 802.15.4-2015 (figure 6-30; 802.15.4e-2012 has the same one), with the receive wait
 * centred on the transmission, and the 15 ms timeslot of Contiki-NG for radios that need longer to load; both as in Contiki-NG
 * 5.0, os/net/mac/tsch/tsch-timeslot-timing.c and arch/dev/cc2420/cc2420-tsch-15ms.c. The 20 ms timeslot of OpenWSN:
 * openwsn-fw 7ee5f203, openstack/02a-MAClow/IEEE802154E.h.
 */
#ifndef SLOTS_PLAN_H
#define SLOTS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct slot_template {
    uint16_t length_us;
    uint16_t tx_offset_us; /* to the end of the SFD */
    uint16_t rx_wait_us;   /* around it */
};

enum slot_template_number { SLOTS_10_MS, SLOTS_15_MS, SLOTS_20_MS };
static const struct slot_template slot_templates[] = {
    [SLOTS_10_MS] = { 10000, 2120, 2200 }, /* macTsTimeslotLength, macTsTxOffset, macTsRxWait */
    [SLOTS_15_MS] = { 15000, 4000, 2200 },
    [SLOTS_20_MS] = { 20000, 5215, 2622 }, /* TsTxOffset, TsLongGT of 1311 us before and after */
};

/* Beacons: cell 0 of each slotframe. Level l sends in those numbered l modulo 3, receives the level above it in the one before. */
#define SLOTS_LEVELS 3u
#define SLOTS_BEACON_CELL 0u

/**
 * The cell in which a node listens for packets, and in which all others send to it: a function of its address alone, as with the
 * autonomous cells of RFC 9033 section 3, but with consecutive addresses side by side instead of a hash.
 */
static inline uint16_t slots_cell(uint16_t address, uint16_t slotframe)
{
    return (uint16_t)(1u + address % (slotframe - 1u));
}

/* Contiki-NG 5.0, tsch-const.h: TSCH_HOPPING_SEQUENCE_4_4. */
#define SLOTS_CHANNELS 4u
static const uint8_t slots_channels[SLOTS_CHANNELS] = { 15, 25, 26, 20 };

/** IEEE Std 802.15.4-2015 6.2.10, channel offset 0. */
static inline uint8_t slots_channel(uint32_t asn)
{
    return slots_channels[asn % SLOTS_CHANNELS];
}

/** Place of a slot: what its number means, kept up without divisions. */
struct slot_place {
    uint16_t cell; /* in the slotframe */
    uint8_t turn;  /* slotframe number modulo SLOTS_LEVELS */
};

static inline struct slot_place slots_place(uint32_t asn, uint16_t slotframe)
{
    return (struct slot_place){ (uint16_t)(asn % slotframe), (uint8_t)(asn / slotframe % SLOTS_LEVELS) };
}

static inline void slots_next(struct slot_place *place, uint16_t slotframe)
{
    if (++place->cell == slotframe) {
        place->cell = 0;
        place->turn = (uint8_t)(place->turn + 1u == SLOTS_LEVELS ? 0u : place->turn + 1u);
    }
}

/** What a node does in a slot. */
enum slot_use { SLOT_IDLE, SLOT_SEND_BEACON, SLOT_HEAR_BEACON, SLOT_SEND, SLOT_HEAR };

struct slot_node {
    uint16_t own_cell;
    uint16_t send_cell; /* of the node that the next packet goes to; 0: there is none */
    uint8_t level;      /* hops from the coordinator */
};

static inline enum slot_use slots_use(const struct slot_node *node, struct slot_place place)
{
    if (place.cell == SLOTS_BEACON_CELL) {
        if (place.turn == node->level) {
            return SLOT_SEND_BEACON;
        }
        return place.turn + 1u == node->level ? SLOT_HEAR_BEACON : SLOT_IDLE;
    }
    if (place.cell == node->send_cell) {
        return SLOT_SEND;
    }
    return place.cell == node->own_cell ? SLOT_HEAR : SLOT_IDLE;
}

#endif
