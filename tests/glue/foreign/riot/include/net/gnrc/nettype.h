/* RIOT sys/include/net/gnrc/nettype.h: the types used, each there if its module gnrc_nettype_* is. */
#ifndef RIOT_NET_GNRC_NETTYPE_H
#define RIOT_NET_GNRC_NETTYPE_H

typedef enum {
    GNRC_NETTYPE_NETIF = -1,
    GNRC_NETTYPE_UNDEF = 0,
#ifdef MODULE_GNRC_NETTYPE_SIXLOWPAN
    GNRC_NETTYPE_SIXLOWPAN,
#endif
#ifdef MODULE_GNRC_NETTYPE_IPV6
    GNRC_NETTYPE_IPV6,
#endif
#ifdef MODULE_GNRC_NETTYPE_UDP
    GNRC_NETTYPE_UDP,
#endif
} gnrc_nettype_t;

#endif
