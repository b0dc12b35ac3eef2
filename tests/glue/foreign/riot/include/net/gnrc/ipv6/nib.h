/* RIOT sys/include/net/gnrc/ipv6/nib.h. */
#ifndef RIOT_NET_GNRC_IPV6_NIB_H
#define RIOT_NET_GNRC_IPV6_NIB_H

#include "net/gnrc/netif.h"
#include "net/gnrc/pkt.h"
#include "net/ipv6/addr.h"

typedef struct {
    uint8_t l2addr[8];
    uint8_t l2addr_len;
} gnrc_ipv6_nib_nc_t;

int gnrc_ipv6_nib_get_next_hop_l2addr(const ipv6_addr_t *dst, gnrc_netif_t *netif, gnrc_pktsnip_t *pkt,
                                      gnrc_ipv6_nib_nc_t *nce);

#endif
