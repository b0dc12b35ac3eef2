/* RIOT sys/include/net/eui64.h. */
#ifndef RIOT_NET_EUI64_H
#define RIOT_NET_EUI64_H

#include <stdint.h>

typedef union {
    uint8_t uint8[8];
} eui64_t;

#endif
