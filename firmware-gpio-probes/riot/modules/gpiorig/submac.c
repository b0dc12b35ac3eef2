/** The submac, which does in software what a radio does not: backoffs, and waiting for acknowledgements (hal.c). */
#include "gpiorig_riot.h"

#ifdef MODULE_IEEE802154_SUBMAC

#include "net/ieee802154/submac.h"
#include "ztimer.h"

int __real_ieee802154_submac_init(ieee802154_submac_t *submac, const network_uint16_t *short_address,
                                  const eui64_t *long_address);
int __wrap_ieee802154_submac_init(ieee802154_submac_t *submac, const network_uint16_t *short_address,
                                  const eui64_t *long_address);
void __real_ztimer_sleep(ztimer_clock_t *clock, uint32_t duration);
void __wrap_ztimer_sleep(ztimer_clock_t *clock, uint32_t duration);

int __wrap_ieee802154_submac_init(ieee802154_submac_t *submac, const network_uint16_t *short_address,
                                  const eui64_t *long_address)
{
    int result;

    gpiorig_hal_decorate(&submac->dev);
    result = __real_ieee802154_submac_init(submac, short_address, long_address);
    gpiorig_hal_listen(&submac->dev);
    return result;
}

/*
 * The bottom half sleeps to back off, unless the radio does that alone: then it is the driver that sleeps in there.
 * Before an acknowledgement by software it sleeps, too, but then it reports a frame.
 */
void __wrap_ztimer_sleep(ztimer_clock_t *clock, uint32_t duration)
{
    if (!gpiorig_hal_lets_submac_back_off() || !gpiorig_netdev_is_serving()) {
        __real_ztimer_sleep(clock, duration);
        return;
    }
    GPIORIG_ENTER_ID(MAC_BACKOFF, gpiorig_netdev_sending());
    __real_ztimer_sleep(clock, duration);
    GPIORIG_EXIT_ID(MAC_BACKOFF, gpiorig_netdev_sending());
}

#endif
