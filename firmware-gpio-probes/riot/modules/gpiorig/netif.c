/** The MAC layer: GNRC's network interface, whose operations are replaced by clones with probes. */
#include "gpiorig_riot.h"

#ifdef MODULE_GNRC_NETIF

#include "net/gnrc/netif.h"

#ifndef GPIORIG_NETIFS
#define GPIORIG_NETIFS 2
#endif

static struct decorated {
    gnrc_netif_t *netif;
    const gnrc_netif_ops_t *original;
    gnrc_netif_ops_t ops;
} netifs[GPIORIG_NETIFS];

/** Of the frame that an interface is receiving. */
static struct {
    bool is_called, has_begun;
    uint16_t id;
} reception;

int __real_gnrc_netif_create(gnrc_netif_t *netif, char *stack, int stacksize, char priority, const char *name,
                             netdev_t *dev, const gnrc_netif_ops_t *ops);
int __wrap_gnrc_netif_create(gnrc_netif_t *netif, char *stack, int stacksize, char priority, const char *name,
                             netdev_t *dev, const gnrc_netif_ops_t *ops);

static const gnrc_netif_ops_t *original(const gnrc_netif_t *netif)
{
    const struct decorated *decorated = netifs;

    while (decorated->netif != netif) {
        decorated++; /* its operations are ours, so it is there */
    }
    return decorated->original;
}

static int netif_send(gnrc_netif_t *netif, gnrc_pktsnip_t *packet)
{
    uint16_t id = gpiorig_sent_id(packet);
    int result;

    GPIORIG_ENTER_ID(MAC_TX, id);
    result = original(netif)->send(netif, packet);
    GPIORIG_EXIT_ID(MAC_TX, id);
    return result;
}

void gpiorig_netif_begin(uint16_t id)
{
    if (reception.is_called && !reception.has_begun) {
        reception.has_begun = true;
        reception.id = id;
        GPIORIG_ENTER_ID(MAC_RX, id);
    }
}

/** The frame is read inside: until then it is the driver's time, and the packet has no number yet. */
static gnrc_pktsnip_t *netif_recv(gnrc_netif_t *netif)
{
    gnrc_pktsnip_t *packet;

    reception.is_called = true;
    packet = original(netif)->recv(netif);
    if (reception.has_begun) {
        GPIORIG_EXIT_ID(MAC_RX, reception.id);
    }
    reception.is_called = false;
    reception.has_begun = false;
    return packet;
}

static const gnrc_netif_ops_t *decorate(gnrc_netif_t *netif, const gnrc_netif_ops_t *ops)
{
    for (struct decorated *decorated = netifs; decorated < netifs + GPIORIG_NETIFS; decorated++) {
        if (decorated->netif == NULL) {
            *decorated = (struct decorated){ .netif = netif, .original = ops, .ops = *ops };
            decorated->ops.send = netif_send;
            decorated->ops.recv = netif_recv;
            return &decorated->ops;
        }
    }
    return ops; /* more interfaces than GPIORIG_NETIFS: this one has no probes */
}

int __wrap_gnrc_netif_create(gnrc_netif_t *netif, char *stack, int stacksize, char priority, const char *name,
                             netdev_t *dev, const gnrc_netif_ops_t *ops)
{
    int result;

    gpiorig_netdev_decorate(dev); /* should its driver not register it */
    gpiorig_netif_thread_follows(true);
    result = __real_gnrc_netif_create(netif, stack, stacksize, priority, name, dev, decorate(netif, ops));
    gpiorig_netif_thread_follows(false);
    return result;
}

#endif
