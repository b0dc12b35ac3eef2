/* RIOT drivers/include/net/netdev.h, compared with commit 005831dc and a later stored copy, which has confirm_send. */
#ifndef RIOT_NET_NETDEV_H
#define RIOT_NET_NETDEV_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "iolist.h"
#include "net/netopt.h"

typedef enum {
    NETDEV_EVENT_ISR,
    NETDEV_EVENT_RX_STARTED,
    NETDEV_EVENT_RX_COMPLETE,
    NETDEV_EVENT_TX_STARTED,
    NETDEV_EVENT_TX_COMPLETE,
    NETDEV_EVENT_TX_COMPLETE_DATA_PENDING,
    NETDEV_EVENT_TX_NOACK,
    NETDEV_EVENT_TX_MEDIUM_BUSY,
    NETDEV_EVENT_LINK_UP,
    NETDEV_EVENT_LINK_DOWN,
    NETDEV_EVENT_TX_TIMEOUT,
    NETDEV_EVENT_RX_TIMEOUT,
    NETDEV_EVENT_CRC_ERROR,
} netdev_event_t;

typedef struct netdev netdev_t;
typedef void (*netdev_event_cb_t)(netdev_t *dev, netdev_event_t event);

struct netdev {
    const struct netdev_driver *driver;
    netdev_event_cb_t event_callback;
    void *context;
};

typedef struct netdev_driver {
    int (*send)(netdev_t *dev, const iolist_t *iolist);
    int (*confirm_send)(netdev_t *dev, void *info);
    int (*recv)(netdev_t *dev, void *buf, size_t len, void *info);
    int (*init)(netdev_t *dev);
    void (*isr)(netdev_t *dev);
    int (*get)(netdev_t *dev, netopt_t opt, void *value, size_t max_len);
    int (*set)(netdev_t *dev, netopt_t opt, const void *value, size_t value_len);
} netdev_driver_t;

#endif
