/** OpenWSN on a network device: RIOT sets the callback after the driver's init, which calls it (RIOT c8bd52ff). */
#include "gpiorig_riot.h"

int __real_openwsn_radio_init(void *radio);
int __wrap_openwsn_radio_init(void *radio);

static unsigned calls;

void gpiorig_netdev_listen(netdev_t *dev)
{
    (void)dev;
}

/* As _init of drivers/at86rf2xx/at86rf2xx_netdev.c ends. */
static int init(netdev_t *dev)
{
    dev->event_callback(dev, NETDEV_EVENT_LINK_UP);
    return 0;
}

static void event_cb(netdev_t *dev, netdev_event_t event)
{
    (void)dev;
    (void)event;
    calls++;
}

/* As in pkg/openwsn/contrib/radio_netdev.c. */
int __real_openwsn_radio_init(void *radio)
{
    netdev_t *dev = radio;
    int result = dev->driver->init(dev);

    dev->event_callback = event_cb;
    return result;
}

int main(void)
{
    static const netdev_driver_t driver = {.init = init};
    netdev_t dev = {.driver = &driver};

    if (__wrap_openwsn_radio_init(&dev) != 0) {
        return 1;
    }
    dev.event_callback(&dev, NETDEV_EVENT_ISR);
    return calls == 1 ? 0 : 2;
}
