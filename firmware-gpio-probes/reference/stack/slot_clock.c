#include "slot_clock.h"

void slot_clock_reset(struct slot_clock *clock, uint32_t nominal_us)
{
    *clock = (struct slot_clock){ .nominal_us = nominal_us, .period_q8 = nominal_us << 8 };
}

void slot_clock_start(struct slot_clock *clock, uint32_t nominal_us, uint32_t number, uint32_t start_us)
{
    slot_clock_reset(clock, nominal_us);
    clock->number = number;
    clock->start_us = start_us;
}

/** Rounds towards zero; without the signed division that a small processor's library has to have. */
static int32_t divide(int32_t dividend, uint32_t divisor)
{
    return dividend < 0 ? -(int32_t)((uint32_t)-dividend / divisor) : (int32_t)((uint32_t)dividend / divisor);
}

static void place(struct slot_clock *clock, uint32_t number, uint32_t start_us)
{
    clock->number = clock->heard_number = number;
    clock->start_us = clock->heard_us = start_us;
    clock->fraction = 0;
}

bool slot_clock_hear(struct slot_clock *clock, uint32_t number, uint32_t start_us)
{
    uint32_t periods = number - clock->heard_number;
    uint32_t nominal_us = periods * clock->nominal_us;
    int32_t longer_us = (int32_t)(start_us - clock->heard_us - nominal_us);
    int32_t tolerance_us = (int32_t)(nominal_us >> SLOT_CLOCK_TOLERANCE_SHIFT);
    uint32_t present = clock->number;

    if (clock->heard == 0 || periods == 0 || periods > (uint32_t)INT32_MAX / 2u / clock->nominal_us || longer_us > tolerance_us ||
        longer_us < -tolerance_us) {
        slot_clock_reset(clock, clock->nominal_us);
        place(clock, number, start_us);
        clock->heard = 1;
        return false;
    }
    /* The product fits: 2^30 / 2^7 * 2^8. */
    int32_t measured_q8 = (int32_t)(clock->nominal_us << 8) + divide(longer_us * 256, periods);

    if (clock->heard == 1) {
        clock->period_q8 = (uint32_t)measured_q8;
        place(clock, number, start_us);
    } else {
        clock->error_us = (int32_t)(start_us - slot_clock_start_us(clock, (int32_t)(number - present)));
        clock->period_q8 = ((uint32_t)measured_q8 + clock->period_q8) / 2u;
        place(clock, number, start_us);
        slot_clock_advance(clock, (int32_t)(present - number));
    }
    clock->heard = 2;
    return true;
}

bool slot_clock_is_synchronised(const struct slot_clock *clock)
{
    return clock->heard == 2;
}

uint32_t slot_clock_age(const struct slot_clock *clock)
{
    return clock->number - clock->heard_number;
}

void slot_clock_advance(struct slot_clock *clock, int32_t periods)
{
    int32_t q8 = clock->fraction + periods * (int32_t)clock->period_q8;

    clock->number += (uint32_t)periods;
    clock->start_us += (uint32_t)(q8 >> 8);
    clock->fraction = (uint8_t)q8;
}

uint32_t slot_clock_start_us(const struct slot_clock *clock, int32_t periods)
{
    return clock->start_us + (uint32_t)((clock->fraction + periods * (int32_t)clock->period_q8) >> 8);
}
