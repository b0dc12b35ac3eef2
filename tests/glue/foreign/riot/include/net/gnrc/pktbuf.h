/* RIOT sys/include/net/gnrc/pktbuf.h: add, release. */
#ifndef RIOT_NET_GNRC_PKTBUF_H
#define RIOT_NET_GNRC_PKTBUF_H

#include "net/gnrc/pkt.h"

gnrc_pktsnip_t *gnrc_pktbuf_add(gnrc_pktsnip_t *next, const void *data, size_t size, gnrc_nettype_t type);
void gnrc_pktbuf_release(gnrc_pktsnip_t *pkt);

#endif
