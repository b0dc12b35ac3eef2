/* RIOT sys/include/net/ieee802154/submac.h: ieee802154_submac_init; dev is a member, no pointer, since 2021. */
#ifndef RIOT_NET_IEEE802154_SUBMAC_H
#define RIOT_NET_IEEE802154_SUBMAC_H

#include "net/ieee802154/radio.h"

typedef struct ieee802154_submac {
    ieee802154_dev_t dev;
    eui64_t ext_addr;
    network_uint16_t short_addr;
} ieee802154_submac_t;

int ieee802154_submac_init(ieee802154_submac_t *submac, const network_uint16_t *short_addr, const eui64_t *ext_addr);

#endif
