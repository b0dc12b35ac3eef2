/* RIOT sys/include/random.h. */
#ifndef RIOT_RANDOM_H
#define RIOT_RANDOM_H

#include <stdint.h>

void random_init(uint32_t seed);

#endif
