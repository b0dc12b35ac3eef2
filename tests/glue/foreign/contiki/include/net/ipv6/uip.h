/** What the glue uses of Contiki-NG 5.0's os/net/ipv6/uip.h. Declarations only, written for these tests. */
#ifndef NET_IPV6_UIP_H
#define NET_IPV6_UIP_H

#include "contiki.h"
#include "net/linkaddr.h"

typedef union {
    uint8_t u8[16];
    uint16_t u16[8];
} uip_ipaddr_t;

typedef union {
    uint32_t u32[32];
    uint8_t u8[128];
} uip_buf_t;

extern uip_buf_t uip_aligned_buf;
#define uip_buf (uip_aligned_buf.u8)
extern uint16_t uip_len;

typedef struct {
    uint8_t addr[LINKADDR_SIZE];
} uip_lladdr_t;

extern uip_lladdr_t uip_lladdr;

#define UIP_IPUDPH_LEN 48
#define UIP_DATA 1
#define UIP_UDP_SEND_CONN 4
void uip_process(uint8_t flag);

struct uip_udp_conn {
    uip_ipaddr_t ripaddr;
    uint16_t lport, rport;
};

#define uip_create_linklocal_prefix(address)                              \
    do {                                                                  \
        for (unsigned uip_at = 0; uip_at < 16; uip_at++) {                \
            (address)->u8[uip_at] = uip_at == 0 ? 0xfe : uip_at == 1 ? 0x80 : 0; \
        }                                                                 \
    } while (0)
#define uip_create_linklocal_allnodes_mcast(address)                      \
    do {                                                                  \
        for (unsigned uip_at = 0; uip_at < 16; uip_at++) {                \
            (address)->u8[uip_at] = uip_at == 0 ? 0xff : uip_at == 1 ? 0x02 : uip_at == 15; \
        }                                                                 \
    } while (0)

#endif
