/**
 * The periods (TDMA frames, TSCH slots) of another node's clock, by this node's. Each received beacon has which period
 * began when; from two of them follows how long a period lasts here, so that a clock that is off by much keeps step too.
 * No dependencies: compiled for the PC as well (tests/firmware/test_slots.py).
 */
#ifndef SLOT_CLOCK_H
#define SLOT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct slot_clock {
    uint32_t number;     /* of the present period */
    uint32_t start_us;   /* of it, on this node's timer */
    uint32_t period_q8;  /* here, in 1/256 us */
    uint32_t nominal_us; /* at its source, less than 2^20 */
    uint8_t fraction;    /* of start_us, in 1/256 us */
    uint8_t heard;       /* beacons that agree; up to 2 */
    uint32_t heard_number, heard_us; /* the last of them */
    int32_t error_us;    /* what it corrected */
};

/*
 * A beacon that is further off than 1/128 belongs to another clock. The worst of ours is a TelosB's DCO: tuned to 0.2 %
 * (boards/telosb/clock.c), and it wanders; two of them may be off in opposite directions.
 */
#define SLOT_CLOCK_TOLERANCE_SHIFT 7

/** A clock that is its own source: period `number` begins at start_us. */
void slot_clock_start(struct slot_clock *clock, uint32_t nominal_us, uint32_t number, uint32_t start_us);

/** A clock that has received nothing yet. */
void slot_clock_reset(struct slot_clock *clock, uint32_t nominal_us);

/**
 * Period `number` began at start_us, by a beacon; the present period stays the present one. False: it does not agree with the
 * beacon before, and counts as the first.
 */
bool slot_clock_hear(struct slot_clock *clock, uint32_t number, uint32_t start_us);

/** True once two beacons have agreed. */
bool slot_clock_is_synchronised(const struct slot_clock *clock);

/** Periods since the last beacon. */
uint32_t slot_clock_age(const struct slot_clock *clock);

/** Advances by some periods, less than 2^31 / period_q8 of them. */
void slot_clock_advance(struct slot_clock *clock, int32_t periods);

/** When the period `periods` after the present one begins; the same limit. */
uint32_t slot_clock_start_us(const struct slot_clock *clock, int32_t periods);

#endif
