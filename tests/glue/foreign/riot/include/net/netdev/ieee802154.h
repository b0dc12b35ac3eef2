/* RIOT drivers/include/net/netdev/ieee802154.h: the first member is the netdev_t. */
#ifndef RIOT_NET_NETDEV_IEEE802154_H
#define RIOT_NET_NETDEV_IEEE802154_H

#include "net/netdev.h"

typedef struct {
    netdev_t netdev;
    uint16_t pan;
    uint8_t short_addr[2];
    uint8_t seq;
} netdev_ieee802154_t;

#endif
