/* RIOT drivers/at86rf2xx/include/at86rf2xx_netdev.h. */
#ifndef RIOT_AT86RF2XX_NETDEV_H
#define RIOT_AT86RF2XX_NETDEV_H

#include "net/netdev.h"

extern const netdev_driver_t at86rf2xx_driver;

#endif
