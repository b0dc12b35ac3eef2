/* RIOT sys/include/net/gnrc/netif.h and netif/conf.h: what is used of them, compared with commit c8bd52ff. */
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

#define CONFIG_GNRC_NETIF_IPV6_ADDRS_NUMOF 2
#define GNRC_NETIF_IPV6_ADDRS_FLAGS_STATE_VALID 0x10

int gnrc_netif_create(gnrc_netif_t *netif, char *stack, int stacksize, char priority, const char *name, netdev_t *dev,
                      const gnrc_netif_ops_t *ops);
gnrc_netif_t *gnrc_netif_iter(const gnrc_netif_t *prev);
int gnrc_netif_send(gnrc_netif_t *netif, gnrc_pktsnip_t *pkt);

static inline int gnrc_netif_ipv6_addrs_get(const gnrc_netif_t *netif, ipv6_addr_t *addrs, size_t max_len)
{
    return gnrc_netapi_get(netif->pid, NETOPT_IPV6_ADDR, 0, addrs, max_len);
}

static inline int gnrc_netif_ipv6_addr_add(const gnrc_netif_t *netif, const ipv6_addr_t *addr, unsigned pfx_len,
                                           uint8_t flags)
{
    return gnrc_netapi_set(netif->pid, NETOPT_IPV6_ADDR, (uint16_t)(pfx_len << 8 | flags), addr, sizeof *addr);
}

static inline int gnrc_netif_ipv6_addr_remove(const gnrc_netif_t *netif, const ipv6_addr_t *addr)
{
    return gnrc_netapi_set(netif->pid, NETOPT_IPV6_ADDR_REMOVE, 0, addr, sizeof *addr);
}

#endif
