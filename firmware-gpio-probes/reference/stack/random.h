/**
 * Random numbers of a node, drawn from `set seed` and its address (seed.h). No dependencies: compiled for the PC as well
 * (tests/firmware/test_random.py).
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

#define LN2_Q16 45426u /* ln 2, in units of 2^-16 */
#define LONGEST_DISTANCE_US 0x3FFFFFFFu /* alarms reach 2^31 us ahead */
#define TOP_BIT 0x80000000u

/** Marsaglia's xorshift (Journal of Statistical Software 8, 14, 2003), shifts 13, 17, 5: each number but 0 once. */
static inline uint32_t random_draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/**
 * -ln(number / 2^32) in units of 2^-16, for a number above 0: the exponential distribution with mean 1 by inversion (Knuth,
 * The Art of Computer Programming 2, 3.4.1). The logarithm to base 2 is the place of the first bit and 16 more digits, one for
 * each squaring of the number (1.2.2, exercise 25). Of each square 16 bits are kept: the result is at most 5e-5 too small and
 * 8e-5 too large.
 */
static inline uint32_t random_exponential_q16(uint32_t number)
{
    uint32_t integer = 1, fraction = 0, part;

    for (; number < TOP_BIT; number <<= 1) {
        integer++;
    }
    part = number >> 16;
    for (uint32_t digit = 1u << 15; digit > 0; digit >>= 1) {
        part *= part;
        if (part >= TOP_BIT) {
            fraction |= digit;
            part >>= 16;
        } else {
            part >>= 15;
        }
    }
    return integer * LN2_Q16 - (fraction * LN2_Q16 >> 16);
}

/** A distance from an exponential distribution with this mean; what is above LONGEST_DISTANCE_US is cut to it. */
static inline uint32_t random_distance_us(uint32_t mean_us, uint32_t number)
{
    uint32_t times = random_exponential_q16(number), integer = times >> 16, part = times & 0xFFFFu;

    if (mean_us > LONGEST_DISTANCE_US / (integer + 1u)) {
        return LONGEST_DISTANCE_US;
    }
    return mean_us * integer + (mean_us >> 16) * part + ((mean_us & 0xFFFFu) * part >> 16);
}

#endif
