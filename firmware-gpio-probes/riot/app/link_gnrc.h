/** What both links over GNRC need of its network interface. */
#ifndef LINK_GNRC_H
#define LINK_GNRC_H

#include <stdbool.h>

#include "net/gnrc/netapi.h"
#include "net/gnrc/netif.h"
#include "random.h"

#ifdef MODULE_AT86RF2XX
#include "at86rf2xx.h"
#include "container.h"
#endif

#include "../../reference/radio/seed.h"
#include "settings.h"

#define BACKOFF_EXPONENT_USUAL 3u /* macMinBE, IEEE 802.15.4-2006 table 86 */
#define BACKOFF_EXPONENT_MOST 5u  /* macMaxBE */

static inline bool option(netopt_t option, const void *value, uint16_t size)
{
    return gnrc_netapi_set(gnrc_netif_iter(NULL)->pid, option, 0, value, size) >= 0;
}

/** False: the radio does not take the exponents. The driver of the AT86RF2xx has a function in place of the options. */
static inline bool set_backoff(uint8_t exponent_least, uint8_t exponent_most)
{
#ifdef MODULE_AT86RF2XX
    netdev_ieee802154_t *netdev = container_of(gnrc_netif_iter(NULL)->dev, netdev_ieee802154_t, netdev);

    at86rf2xx_set_csma_backoff_exp(container_of(netdev, at86rf2xx_t, netdev), exponent_least, exponent_most);
    return true;
#else
    return option(NETOPT_CSMA_MAXBE, &exponent_most, sizeof exponent_most) &&
           option(NETOPT_CSMA_MINBE, &exponent_least, sizeof exponent_least);
#endif
}

/**
 * The long address is the one that 6LoWPAN derives from fe80::ff:fe00:XXXX: RIOT takes every interface identifier for an
 * EUI-64 with its universal bit inverted (l2util_ipv6_iid_to_addr, RFC 4291 appendix A), so requests go to it.
 *
 * A radio that does no CSMA by itself does not know some of the options: they are its software's, and stay as they are.
 */
static inline bool interface_configure(void)
{
    const uint8_t address[2] = { (uint8_t)(settings.address >> 8), (uint8_t)settings.address };
    const uint8_t address_long[8] = { 0x02, 0, 0, 0xff, 0xfe, 0, address[0], address[1] };
    const uint16_t pan = PAN, channel = (uint16_t)settings.channel, source_length = sizeof address;
    const uint8_t exponent_least = settings.backoff != 0 ? (uint8_t)settings.backoff_exponent : 0;
    const uint8_t exponent_most = settings.backoff != 0 ? BACKOFF_EXPONENT_MOST : 0;
    const bool interferes = settings.app == APP_interferer;
    const netopt_enable_t csma = settings.csma != 0 && !interferes ? NETOPT_ENABLE : NETOPT_DISABLE;
    const netopt_enable_t acknowledged = interferes ? NETOPT_DISABLE : NETOPT_ENABLE;

    random_init(mix_seed(settings.seed, (uint16_t)settings.address));
    option(NETOPT_CSMA, &csma, sizeof csma);
    option(NETOPT_ACK_REQ, &acknowledged, sizeof acknowledged);
    if (!set_backoff(exponent_least, exponent_most) && exponent_least != BACKOFF_EXPONENT_USUAL) {
        return false;
    }
    return option(NETOPT_SRC_LEN, &source_length, sizeof source_length) && option(NETOPT_NID, &pan, sizeof pan) &&
           option(NETOPT_ADDRESS, address, sizeof address) &&
           option(NETOPT_ADDRESS_LONG, address_long, sizeof address_long) &&
           option(NETOPT_CHANNEL, &channel, sizeof channel);
}

#endif
