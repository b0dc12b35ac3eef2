/** The seed of a node's random backoff. */
#ifndef SEED_H
#define SEED_H

#include <stdint.h>

/** A multiply-xorshift hash keeps neighbouring seeds and addresses apart; take as many low bits as are wanted. */
static inline uint32_t mix_seed(uint32_t seed, uint16_t address)
{
    uint32_t x = seed + address * 0x9E3779B1u; /* 2^32 divided by the golden ratio */

    x ^= x >> 15;
    x *= 0x85EBCA6Bu;
    x ^= x >> 13;
    return x;
}

#endif
