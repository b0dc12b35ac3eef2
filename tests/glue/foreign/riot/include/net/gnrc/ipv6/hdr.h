/* RIOT sys/include/net/gnrc/ipv6/hdr.h. */
#ifndef RIOT_NET_GNRC_IPV6_HDR_H
#define RIOT_NET_GNRC_IPV6_HDR_H

#include "net/gnrc/pkt.h"
#include "net/ipv6/addr.h"

gnrc_pktsnip_t *gnrc_ipv6_hdr_build(gnrc_pktsnip_t *payload, const ipv6_addr_t *src, const ipv6_addr_t *dst);

#endif
