/* RIOT sys/include/net/gnrc/udp.h. */
#ifndef RIOT_NET_GNRC_UDP_H
#define RIOT_NET_GNRC_UDP_H

#include "net/gnrc/pkt.h"

gnrc_pktsnip_t *gnrc_udp_hdr_build(gnrc_pktsnip_t *payload, uint16_t src, uint16_t dst);
int gnrc_udp_calc_csum(gnrc_pktsnip_t *hdr, gnrc_pktsnip_t *pseudo_hdr);

#endif
