/**
 * OpenWSN on RIOT: its radio, without GNRC below it. The driver's functions run in the interrupt here, as do radio
 * events. What a slot does is on OpenWSN's own debug pins (riot/openwsn/Makefile).
 */
#include "gpiorig_riot.h"

#ifdef GPIORIG_OPENWSN

int __real_openwsn_radio_init(void *radio);
int __wrap_openwsn_radio_init(void *radio);

#ifdef MODULE_OPENWSN_RADIO_NETDEV

/** Until RIOT sets its own, after the driver's init: that of the AT86RF2xx already calls it (RIOT c8bd52ff). */
static void not_set_yet(netdev_t *dev, netdev_event_t event)
{
    (void)dev;
    (void)event;
}

int __wrap_openwsn_radio_init(void *radio)
{
    netdev_t *dev = radio;
    int result;

    dev->event_callback = not_set_yet;
    result = __real_openwsn_radio_init(radio);
    gpiorig_netdev_listen(dev); /* the callback has been set in there */
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
