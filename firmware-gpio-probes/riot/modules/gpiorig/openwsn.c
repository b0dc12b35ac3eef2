/**
 * OpenWSN on RIOT: its radio, without GNRC below it. The driver's functions run in the interrupt here, as do radio
 * events. What a slot does is on OpenWSN's own debug pins (riot/openwsn/Makefile).
 */
#include "gpiorig_riot.h"

#ifdef GPIORIG_OPENWSN

int __real_openwsn_radio_init(void *radio);
int __wrap_openwsn_radio_init(void *radio);

#ifdef MODULE_OPENWSN_RADIO_NETDEV

int __wrap_openwsn_radio_init(void *radio)
{
    netdev_t *dev = radio;
    int result;

    gpiorig_netdev_decorate(dev);
    result = __real_openwsn_radio_init(radio);
    gpiorig_netdev_listen(dev); /* the callback has been set in there */
#ifdef MODULE_AT86RF2XX
    gpiorig_at86rf2xx_mark_frames(dev, dev->driver);
#endif
    return result;
}

#else

int __wrap_openwsn_radio_init(void *radio)
{
    int result;

    gpiorig_hal_decorate(radio);
    result = __real_openwsn_radio_init(radio);
    gpiorig_hal_listen(radio);
    return result;
}

#endif
#endif
