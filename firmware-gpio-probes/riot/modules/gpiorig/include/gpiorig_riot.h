/**
 * What the files of the glue know of each other. An application needs gpiorig/probe.h only.
 *
 * Nothing here changes what RIOT does: a wrapper calls the original with the same arguments and returns its result.
 */
#ifndef GPIORIG_RIOT_H
#define GPIORIG_RIOT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpiorig/probe.h"

#include "iolist.h"
#include "msg.h"
#include "net/netdev.h"
#ifdef MODULE_GNRC_NETAPI
#include "net/gnrc/pkt.h"
#endif

/* ids.c: the packet's number, the last two bytes of its payload, most significant first (docs/guide/riot.md). */

uint16_t gpiorig_bytes_id(const void *bytes, size_t length);
uint16_t gpiorig_list_id(const iolist_t *list);
#ifdef MODULE_GNRC_NETAPI
/** Of a packet on its way down: its last snip is the payload. */
uint16_t gpiorig_sent_id(const gnrc_pktsnip_t *packet);
/** Of a packet on its way up: its first snip is what the layer in hand has not taken off yet. */
uint16_t gpiorig_received_id(const gnrc_pktsnip_t *packet);
/** By the direction that the type of its message tells. */
uint16_t gpiorig_message_id(uint16_t type, const gnrc_pktsnip_t *packet);
/** True when a message carries a packet; SET, GET and NOTIFY do not. */
bool gpiorig_carries_packet(const msg_t *message);
#endif

/* A message queue is its thread's number; any other queue, the low half of its address (the map file names it). */
#define GPIORIG_QUEUE(queue) ((uint16_t)(uintptr_t)(queue))

/* layers.c */

/** True when the running thread is that of a network interface of GNRC. */
bool gpiorig_in_netif_thread(void);

/** The next thread created is that of a network interface. */
void gpiorig_netif_thread_follows(bool follows);

/* netdev.c */

/** Puts probes into a driver: a clone of its table, in RAM. Before its init; again does nothing. */
void gpiorig_netdev_decorate(netdev_t *dev);

/** Puts probes before the callback of its events; its init does so. After whoever sets the callback has set it. */
void gpiorig_netdev_listen(netdev_t *dev);

/** The packet that the driver was last asked to send. */
uint16_t gpiorig_netdev_sending(void);

/** True in the bottom half of a radio, except while it reports an event to whoever drives it. */
bool gpiorig_netdev_is_serving(void);

/** A frame is out of the radio: driver.rx_read ends, and the interface, where there is one, has a packet. */
void gpiorig_frame_read(const void *frame, int length);

/* netif.c */

#ifdef MODULE_GNRC_NETIF
/** The interface has read the frame of this packet: mac.rx begins, and ends with its call that receives. */
void gpiorig_netif_begin(uint16_t id);
#else
static inline void gpiorig_netif_begin(uint16_t id)
{
    (void)id;
}
#endif

/* at86rf2xx.c, hal.c, threads.c */

/** AT86RF2xx: lets DIG2 mark received frames, unless the build says GPIORIG_NO_DIG2. Other devices are left alone. */
void gpiorig_at86rf2xx_mark_frames(netdev_t *dev, const netdev_driver_t *driver);

/** AT86RF2xx: the last part of a frame is loaded. */
void gpiorig_at86rf2xx_loaded(void);

struct ieee802154_dev;
/** Puts probes into a radio of the hardware abstraction layer, and before its callback if it has one already. */
void gpiorig_hal_decorate(struct ieee802154_dev *dev);
void gpiorig_hal_listen(struct ieee802154_dev *dev);
#ifdef MODULE_IEEE802154_SUBMAC
/** The submac has ended a transmission, well or not. */
void gpiorig_hal_ended(void);
/** True when CSMA is the submac's work, not the radio's. */
bool gpiorig_hal_lets_submac_back_off(void);
#else
static inline void gpiorig_hal_ended(void)
{
}
#endif

void gpiorig_threads_init(void);

#endif
