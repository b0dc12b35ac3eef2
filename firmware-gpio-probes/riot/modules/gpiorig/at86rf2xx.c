/** AT86RF2xx: the steps of a transmission, and its pin DIG2. */
#include "gpiorig_riot.h"

#ifdef MODULE_AT86RF2XX

#include "at86rf2xx.h"
#include "at86rf2xx_internal.h"
#include "at86rf2xx_netdev.h"
#include "at86rf2xx_registers.h"
#include "container.h"

/* TRX_CTRL_1 (0x04), bit 6: DIG2 rises with RX_START and falls at the frame's end (AT86RF231, doc. 8111C, 11.6). */
#define IRQ_2_EXT_EN 0x40u

void __real_at86rf2xx_tx_prepare(at86rf2xx_t *dev);
void __wrap_at86rf2xx_tx_prepare(at86rf2xx_t *dev);
size_t __real_at86rf2xx_tx_load(at86rf2xx_t *dev, const uint8_t *data, size_t length, size_t offset);
size_t __wrap_at86rf2xx_tx_load(at86rf2xx_t *dev, const uint8_t *data, size_t length, size_t offset);
void __real_at86rf2xx_tx_exec(at86rf2xx_t *dev);
void __wrap_at86rf2xx_tx_exec(at86rf2xx_t *dev);

/* Waits here while a frame is on the air, in either direction. */
void __wrap_at86rf2xx_tx_prepare(at86rf2xx_t *dev)
{
    GPIORIG_ENTER_ID(DRIVER_PREPARE, gpiorig_netdev_sending());
    __real_at86rf2xx_tx_prepare(dev);
    GPIORIG_EXIT_ID(DRIVER_PREPARE, gpiorig_netdev_sending());
}

static bool loading;

/* Once for each part of the frame: MAC header, compressed headers, payload. One span for all of them costs less. */
size_t __wrap_at86rf2xx_tx_load(at86rf2xx_t *dev, const uint8_t *data, size_t length, size_t offset)
{
    if (!loading) {
        loading = true;
        GPIORIG_ENTER_ID(DRIVER_LOAD, gpiorig_netdev_sending());
    }
    return __real_at86rf2xx_tx_load(dev, data, length, offset);
}

void gpiorig_at86rf2xx_loaded(void)
{
    if (loading) {
        loading = false;
        GPIORIG_EXIT_ID(DRIVER_LOAD, gpiorig_netdev_sending());
    }
}

/* The frame starts by a write over SPI, not by an edge of SLP_TR: nearest to the air is the end of this. */
void __wrap_at86rf2xx_tx_exec(at86rf2xx_t *dev)
{
    gpiorig_at86rf2xx_loaded();
    GPIORIG_ENTER_ID(DRIVER_EXEC, gpiorig_netdev_sending());
    __real_at86rf2xx_tx_exec(dev);
    GPIORIG_EXIT_ID(DRIVER_EXEC, gpiorig_netdev_sending());
}

void gpiorig_at86rf2xx_mark_frames(netdev_t *dev, const netdev_driver_t *driver)
{
#ifdef GPIORIG_NO_DIG2
    (void)dev;
    (void)driver;
#else
    at86rf2xx_t *radio = container_of(dev, at86rf2xx_t, netdev.netdev);

    if (driver->get == at86rf2xx_driver.get) { /* `driver` is a clone */
        at86rf2xx_reg_write(radio, AT86RF2XX_REG__TRX_CTRL_1,
                            at86rf2xx_reg_read(radio, AT86RF2XX_REG__TRX_CTRL_1) | IRQ_2_EXT_EN);
    }
#endif
}

#endif
