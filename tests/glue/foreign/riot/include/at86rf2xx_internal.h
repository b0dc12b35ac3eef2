/* RIOT drivers/at86rf2xx/include/at86rf2xx_internal.h. */
#ifndef RIOT_AT86RF2XX_INTERNAL_H
#define RIOT_AT86RF2XX_INTERNAL_H

#include "at86rf2xx.h"

uint8_t at86rf2xx_reg_read(const at86rf2xx_t *dev, uint8_t addr);
void at86rf2xx_reg_write(const at86rf2xx_t *dev, uint8_t addr, uint8_t value);

#endif
