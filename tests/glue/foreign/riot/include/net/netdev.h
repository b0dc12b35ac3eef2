/* RIOT drivers/include/net/netdev.h, compared with commit c8bd52ff: its conditions are those of the header there. */
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
#ifdef MODULE_NETDEV_LEGACY_API
    NETDEV_EVENT_TX_COMPLETE_DATA_PENDING,
    NETDEV_EVENT_TX_NOACK,
    NETDEV_EVENT_TX_MEDIUM_BUSY,
#endif
    NETDEV_EVENT_LINK_UP,
    NETDEV_EVENT_LINK_DOWN,
    NETDEV_EVENT_TX_TIMEOUT,
    NETDEV_EVENT_RX_TIMEOUT,
    NETDEV_EVENT_CRC_ERROR,
} netdev_event_t;

typedef enum { NETDEV_ANY, NETDEV_AT86RF215, NETDEV_AT86RF2XX } netdev_type_t;

typedef struct netdev netdev_t;
typedef void (*netdev_event_cb_t)(netdev_t *dev, netdev_event_t event);

struct netdev {
    const struct netdev_driver *driver;
    netdev_event_cb_t event_callback;
    void *context;
#ifdef MODULE_NETDEV_REGISTER
    netdev_type_t type;
    uint8_t index;
#endif
};

void netdev_register_signal(struct netdev *dev, netdev_type_t type, uint8_t index);

static inline void netdev_register(struct netdev *dev, netdev_type_t type, uint8_t index)
{
#ifdef MODULE_NETDEV_REGISTER
    dev->type = type;
    dev->index = index;
#endif
#ifdef CONFIG_NETDEV_REGISTER_SIGNAL
    netdev_register_signal(dev, type, index);
#else
    (void)dev;
    (void)type;
    (void)index;
#endif
}

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
