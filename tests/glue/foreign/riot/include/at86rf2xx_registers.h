/* RIOT drivers/at86rf2xx/include/at86rf2xx_registers.h. */
#ifndef RIOT_AT86RF2XX_REGISTERS_H
#define RIOT_AT86RF2XX_REGISTERS_H

#define AT86RF2XX_REG__TRX_CTRL_1 (0x04)

#endif
