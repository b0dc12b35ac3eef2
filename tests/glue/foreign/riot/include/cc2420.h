/* RIOT drivers/include/cc2420.h, cc2420_setup with an index since 2020. */
#ifndef RIOT_CC2420_H
#define RIOT_CC2420_H

#include "net/netdev/ieee802154.h"

typedef struct {
    int spi;
} cc2420_params_t;

typedef struct {
    netdev_ieee802154_t netdev;
    cc2420_params_t params;
} cc2420_t;

void cc2420_setup(cc2420_t *dev, const cc2420_params_t *params, uint8_t index);

#endif
