/* RIOT sys/include/byteorder.h: the two types. */
#ifndef RIOT_BYTEORDER_H
#define RIOT_BYTEORDER_H

#include <stdint.h>

typedef union {
    uint16_t u16;
    uint8_t u8[2];
} network_uint16_t, le_uint16_t;

#endif
