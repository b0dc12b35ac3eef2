/* RIOT drivers/include/net/netdev/ieee802154_submac.h, compared with commit c8bd52ff: its first members. */
#ifndef RIOT_NET_NETDEV_IEEE802154_SUBMAC_H
#define RIOT_NET_NETDEV_IEEE802154_SUBMAC_H

#include "net/ieee802154/submac.h"
#include "net/netdev/ieee802154.h"

typedef struct {
    netdev_ieee802154_t dev;
    ieee802154_submac_t submac;
} netdev_ieee802154_submac_t;

int netdev_ieee802154_submac_init(netdev_ieee802154_submac_t *netdev_submac);

#endif
