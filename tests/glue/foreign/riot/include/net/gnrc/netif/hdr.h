/* RIOT sys/include/net/gnrc/netif/hdr.h: building one, its flags, the sender's address. */
#ifndef RIOT_NET_GNRC_NETIF_HDR_H
#define RIOT_NET_GNRC_NETIF_HDR_H

#include "net/gnrc/pkt.h"

#define GNRC_NETIF_HDR_FLAGS_BROADCAST 0x80

typedef struct {
    uint8_t src_l2addr_len;
    uint8_t dst_l2addr_len;
    uint8_t flags;
} gnrc_netif_hdr_t;

gnrc_pktsnip_t *gnrc_netif_hdr_build(const uint8_t *src, uint8_t src_len, const uint8_t *dst, uint8_t dst_len);
uint8_t *gnrc_netif_hdr_get_src_addr(const gnrc_netif_hdr_t *hdr);

#endif
