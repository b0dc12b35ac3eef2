/* RIOT sys/include/net/gnrc/sixlowpan/iphc.h. */
#ifndef RIOT_NET_GNRC_SIXLOWPAN_IPHC_H
#define RIOT_NET_GNRC_SIXLOWPAN_IPHC_H

#include "net/gnrc/pkt.h"

void gnrc_sixlowpan_iphc_recv(gnrc_pktsnip_t *pkt, void *ctx, unsigned page);
void gnrc_sixlowpan_iphc_send(gnrc_pktsnip_t *pkt, void *ctx, unsigned page);

#endif
