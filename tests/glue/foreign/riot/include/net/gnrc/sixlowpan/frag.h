/* RIOT sys/include/net/gnrc/sixlowpan/frag.h. */
#ifndef RIOT_NET_GNRC_SIXLOWPAN_FRAG_H
#define RIOT_NET_GNRC_SIXLOWPAN_FRAG_H

#include "net/gnrc/pkt.h"

void gnrc_sixlowpan_frag_send(gnrc_pktsnip_t *pkt, void *ctx, unsigned page);
void gnrc_sixlowpan_frag_recv(gnrc_pktsnip_t *pkt, void *ctx, unsigned page);

#endif
