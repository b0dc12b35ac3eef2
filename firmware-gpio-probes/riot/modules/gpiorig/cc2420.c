/**
 * CC2420: the steps of a transmission. They are told by the command strobes, since the driver's own functions call each
 * other within one file, where no call can be wrapped. There is no event at the end: the SFD line tells it.
 */
#include "gpiorig_riot.h"

#ifdef MODULE_CC2420

#include "cc2420.h"
#include "cc2420_internal.h"
#include "cc2420_registers.h"

uint8_t __real_cc2420_strobe(const cc2420_t *dev, const uint8_t command);
uint8_t __wrap_cc2420_strobe(const cc2420_t *dev, const uint8_t command);
void __real_cc2420_fifo_write(const cc2420_t *dev, uint8_t *data, const size_t length);
void __wrap_cc2420_fifo_write(const cc2420_t *dev, uint8_t *data, const size_t length);

uint8_t __wrap_cc2420_strobe(const cc2420_t *dev, const uint8_t command)
{
    uint8_t status;

    switch (command) {
    case CC2420_STROBE_FLUSHTX: /* first of all, once the frame before is out */
        GPIORIG_ENTER_ID(DRIVER_PREPARE, gpiorig_netdev_sending());
        status = __real_cc2420_strobe(dev, command);
        GPIORIG_EXIT_ID(DRIVER_PREPARE, gpiorig_netdev_sending());
        return status;
    case CC2420_STROBE_TXON:
    case CC2420_STROBE_TXONCCA:
        GPIORIG_ENTER_ID(DRIVER_EXEC, gpiorig_netdev_sending());
        status = __real_cc2420_strobe(dev, command);
        GPIORIG_EXIT_ID(DRIVER_EXEC, gpiorig_netdev_sending());
        return status;
    default:
        return __real_cc2420_strobe(dev, command);
    }
}

/* The length first, then each part of the frame. */
void __wrap_cc2420_fifo_write(const cc2420_t *dev, uint8_t *data, const size_t length)
{
    GPIORIG_ENTER_ID(DRIVER_LOAD, gpiorig_netdev_sending());
    __real_cc2420_fifo_write(dev, data, length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, gpiorig_netdev_sending());
}

#endif
