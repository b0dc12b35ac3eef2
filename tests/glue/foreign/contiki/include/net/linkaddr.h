/** What the glue uses of Contiki-NG 5.0's os/net/linkaddr.h. Declarations only, written for these tests. */
#ifndef NET_LINKADDR_H
#define NET_LINKADDR_H

#include <stdint.h>

#define LINKADDR_SIZE 8

typedef union {
    uint8_t u8[LINKADDR_SIZE];
    uint16_t u16[LINKADDR_SIZE / 2];
} linkaddr_t;

extern linkaddr_t linkaddr_node_addr;

#endif
