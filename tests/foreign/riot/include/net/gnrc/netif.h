/* RIOT sys/include/net/gnrc/netif.h: what is used of it, compared with a copy of after 2020. */
#ifndef RIOT_NET_GNRC_NETIF_H
#define RIOT_NET_GNRC_NETIF_H

#include "event.h"
#include "net/gnrc/netapi.h"
#include "net/ipv6/addr.h"
#include "net/netdev.h"

typedef struct gnrc_netif_ops gnrc_netif_ops_t;

typedef struct {
    const gnrc_netif_ops_t *ops;
    netdev_t *dev;
    event_queue_t evq[1];
    event_t event_isr;
    kernel_pid_t pid;
} gnrc_netif_t;

struct gnrc_netif_ops {
    int (*init)(gnrc_netif_t *netif);
    int (*send)(gnrc_netif_t *netif, gnrc_pktsnip_t *pkt);
    gnrc_pktsnip_t *(*recv)(gnrc_netif_t *netif);
    int (*get)(gnrc_netif_t *netif, gnrc_netapi_opt_t *opt);
    int (*set)(gnrc_netif_t *netif, const gnrc_netapi_opt_t *opt);
    void (*msg_handler)(gnrc_netif_t *netif, msg_t *msg);
};

#define GNRC_NETIF_IPV6_ADDRS_FLAGS_STATE_VALID 0x10

int gnrc_netif_create(gnrc_netif_t *netif, char *stack, int stacksize, char priority, const char *name, netdev_t *dev,
                      const gnrc_netif_ops_t *ops);
gnrc_netif_t *gnrc_netif_iter(const gnrc_netif_t *prev);
int gnrc_netif_send(gnrc_netif_t *netif, gnrc_pktsnip_t *pkt);
int gnrc_netif_ipv6_addr_add(const gnrc_netif_t *netif, ipv6_addr_t *addr, unsigned pfx_len, uint8_t flags);

#endif
