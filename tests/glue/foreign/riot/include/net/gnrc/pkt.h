/* RIOT sys/include/net/gnrc/pkt.h: gnrc_pktsnip_t begins as an iolist_t; gnrc_pkt_prepend is inline there. */
#ifndef RIOT_NET_GNRC_PKT_H
#define RIOT_NET_GNRC_PKT_H

#include <stddef.h>
#include <stdint.h>

#include "net/gnrc/nettype.h"

typedef struct gnrc_pktsnip {
    struct gnrc_pktsnip *next;
    void *data;
    size_t size;
    unsigned int users;
    gnrc_nettype_t type;
} gnrc_pktsnip_t;

gnrc_pktsnip_t *gnrc_pkt_prepend(gnrc_pktsnip_t *pkt, gnrc_pktsnip_t *snip);

#endif
