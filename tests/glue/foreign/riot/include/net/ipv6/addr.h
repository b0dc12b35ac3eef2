/* RIOT sys/include/net/ipv6/addr.h. */
#ifndef RIOT_NET_IPV6_ADDR_H
#define RIOT_NET_IPV6_ADDR_H

#include <stdint.h>

typedef union {
    uint8_t u8[16];
} ipv6_addr_t;

#endif
