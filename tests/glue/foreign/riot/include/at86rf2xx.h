/* RIOT drivers/include/at86rf2xx.h: at86rf2xx_t begins with its netdev; the functions of a transmission and of the backoff. */
#ifndef RIOT_AT86RF2XX_H
#define RIOT_AT86RF2XX_H

#include "net/netdev/ieee802154.h"

typedef struct {
    netdev_ieee802154_t netdev;
    uint8_t tx_frame_len;
} at86rf2xx_t;

typedef struct at86rf2xx_params at86rf2xx_params_t;

void at86rf2xx_setup(at86rf2xx_t *dev, const at86rf2xx_params_t *params, uint8_t index);
void at86rf2xx_tx_prepare(at86rf2xx_t *dev);
size_t at86rf2xx_tx_load(at86rf2xx_t *dev, const uint8_t *data, size_t len, size_t offset);
void at86rf2xx_tx_exec(at86rf2xx_t *dev);
void at86rf2xx_set_csma_backoff_exp(const at86rf2xx_t *dev, uint8_t min, uint8_t max);

#endif
