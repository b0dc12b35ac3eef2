/**
 * Where everything is in a frame of mac_tdma. No dependencies: compiled for the PC as well (tests/firmware/test_slots.py).
 *
 *     |guard| beacon slot 0 | beacon slot 1 | beacon slot 2 |guard| packet slot 0 | packet slot 1 | packet slot 2 |
 *     0     0.5             4.5             8.5            12.5   13 ms                                      T_MAC
 *
 * T_MAC, the 13 ms and three slots each: Rodriguez-Zurrunero et al., "Process Management in IoT Operating Systems", Electronics
 * 8 (2019), section 3.3 and table 1. How the 13 ms are divided is ours; the paper does not state it.
 */
#ifndef TDMA_PLAN_H
#define TDMA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define TDMA_SLOTS 3u
#define TDMA_BEACONS_US UINT32_C(13000) /* an int may have 16 bits */
#define TDMA_GUARD_US UINT32_C(500)
#define TDMA_BEACON_SLOT_US ((TDMA_BEACONS_US - 2u * TDMA_GUARD_US) / TDMA_SLOTS)

/*
 * A packet is put at random into its slot so that it ends in it: 4.3 ms for the longest frame (133 bytes of 32 us, IEEE
 * 802.15.4-2006 6.3), 0.9 ms for the acknowledgement (macAckWaitDuration, 54 symbols), the rest for a TelosB to load it.
 */
#define TDMA_EXCHANGE_US UINT32_C(10000)

/*
 * Synchronisation packets every 10 s (the paper, 3.3) or as `set sync_us` gives, and often after the gateway's start. They have
 * beacon slot 0.
 */
#define TDMA_SYNC_US 10000000u
#define TDMA_EAGER_FRAMES 48u
#define TDMA_LEVELS 3u /* a node `level` hops from the gateway passes them on that many frames later */

/** T_MAC for a radio duty cycle of 10, 15 or 20 %: 13 ms / RDC, rounded to ms as in table 1 of the paper. */
static inline uint32_t tdma_frame_us(uint32_t rdc_percent)
{
    return (TDMA_BEACONS_US * 100u / rdc_percent + 500u) / 1000u * 1000u;
}

/** Frames from one synchronisation packet of the gateway to its next. */
static inline uint32_t tdma_sync_frames(uint32_t sync_us, uint32_t frame_us)
{
    uint32_t frames = (sync_us + frame_us - 1u) / frame_us;

    return frames < TDMA_LEVELS ? TDMA_LEVELS : frames;
}

/** Frames since the last one in which the gateway sent a synchronisation packet: what level's turn it is to send one. */
static inline uint32_t tdma_sync_turn(uint32_t frame, uint32_t sync_frames)
{
    return frame % (frame < TDMA_EAGER_FRAMES ? TDMA_LEVELS : sync_frames);
}

/** From the start of a frame. */
static inline uint32_t tdma_beacon_slot_us(uint32_t slot)
{
    return TDMA_GUARD_US + slot * TDMA_BEACON_SLOT_US;
}

static inline uint32_t tdma_packet_slot_length_us(uint32_t frame_us)
{
    return (frame_us - TDMA_BEACONS_US) / TDMA_SLOTS;
}

/** From the start of a frame; slot TDMA_SLOTS is its end. */
static inline uint32_t tdma_packet_slot_us(uint32_t frame_us, uint32_t slot)
{
    return TDMA_BEACONS_US + slot * tdma_packet_slot_length_us(frame_us);
}

/** When in a packet slot to send: anything from a guard time on that leaves room for the exchange. */
static inline uint32_t tdma_offset_us(uint32_t frame_us, uint32_t random)
{
    return TDMA_GUARD_US + random % (tdma_packet_slot_length_us(frame_us) - TDMA_GUARD_US - TDMA_EXCHANGE_US);
}

#endif
