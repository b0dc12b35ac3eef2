/** The driver, whatever radio: a netdev whose table of functions is replaced by a clone with probes, and its events. */
#include "gpiorig_riot.h"

#include "irq.h"
#include "net/netopt.h"

#ifndef GPIORIG_NETDEVS
#define GPIORIG_NETDEVS 2
#endif

#define ACK_LENGTH_MOST 5 /* IEEE 802.15.4-2006 7.2.2.3: 3 bytes, and 2 of FCS where a radio hands them out */

static struct decorated {
    netdev_t *dev;
    const netdev_driver_t *original;
    netdev_event_cb_t callback;
    bool has_hal; /* a submac above a radio of the abstraction layer: hal.c sees its frames nearer to the radio */
    netdev_driver_t driver;
} devices[GPIORIG_NETDEVS];

static uint16_t sending;
static bool receiving;

static struct decorated *find(const netdev_t *dev)
{
    struct decorated *device = devices;

    while (device->dev != dev) {
        device++; /* its functions are ours, so it is there */
    }
    return device;
}

static int netdev_send(netdev_t *dev, const iolist_t *list)
{
    uint16_t id = gpiorig_list_id(list);
    int result;

    sending = id;
    GPIORIG_ENTER_ID(DRIVER_TX, id);
    result = find(dev)->original->send(dev, list);
#ifdef MODULE_AT86RF2XX
    gpiorig_at86rf2xx_loaded(); /* with AT86RF2XX_OPT_PRELOADING the command comes later */
#endif
    GPIORIG_EXIT_ID(DRIVER_TX, id);
    return result;
}

/* The first place where the packet's number is known. */
void gpiorig_frame_read(const void *frame, int length)
{
    const uint8_t *bytes = frame;
    uint16_t id;

    if (length <= ACK_LENGTH_MOST) {
        GPIORIG_EXIT(DRIVER_RX_READ);
        return;
    }
    id = gpiorig_bytes_id(bytes, (size_t)length);
    GPIORIG_EXIT_ID(DRIVER_RX_READ, id);
    GPIORIG_EVENT_ID(MAC_SEQUENCE, bytes[2]); /* IEEE 802.15.4-2006 7.2.1: after two bytes of frame control */
    gpiorig_netif_begin(id);
}

static int receive(const struct decorated *device, netdev_t *dev, void *buffer, size_t length, void *info)
{
    int result;

    if (device->has_hal) {
        return device->original->recv(dev, buffer, length, info);
    }
    if (buffer != NULL) {
        GPIORIG_ENTER(DRIVER_RX_READ);
        result = device->original->recv(dev, buffer, length, info);
        gpiorig_frame_read(buffer, result);
        return result;
    }
    if (length != 0) {
        GPIORIG_EVENT(DRIVER_RX_DROP);
        return device->original->recv(dev, buffer, length, info);
    }
    GPIORIG_ENTER(DRIVER_RX_LENGTH);
    result = device->original->recv(dev, buffer, length, info);
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    return result;
}

static int netdev_recv(netdev_t *dev, void *buffer, size_t length, void *info)
{
    int result;

    receiving = true;
    result = receive(find(dev), dev, buffer, length, info);
    receiving = false;
    return result;
}

/* Below GNRC this is a thread's; OpenWSN calls it in the interrupt. */
static void netdev_isr(netdev_t *dev)
{
    GPIORIG_ENTER(DRIVER_ISR);
    find(dev)->original->isr(dev);
    GPIORIG_EXIT(DRIVER_ISR);
}

static int netdev_confirm(netdev_t *dev, void *info)
{
    int result = find(dev)->original->confirm_send(dev, info);

    if (result != -EAGAIN) {
        GPIORIG_EVENT_ID(DRIVER_CONFIRM, sending);
    }
    return result;
}

/** A frame loaded before (NETOPT_PRELOADING) is started by a change of state. */
static int netdev_set(netdev_t *dev, netopt_t option, const void *value, size_t length)
{
    const netdev_driver_t *original = find(dev)->original;
    const netopt_state_t *state = value;
    int result;

    if (option != NETOPT_STATE || length != sizeof *state || *state != NETOPT_STATE_TX) {
        return original->set(dev, option, value, length);
    }
    GPIORIG_ENTER_ID(DRIVER_EXEC, sending);
    result = original->set(dev, option, value, length);
    GPIORIG_EXIT_ID(DRIVER_EXEC, sending);
    return result;
}

void gpiorig_netdev_decorate(netdev_t *dev)
{
    for (struct decorated *device = devices; device < devices + GPIORIG_NETDEVS; device++) {
        if (device->dev == NULL) {
            device->dev = dev;
            device->original = dev->driver;
            device->driver = *dev->driver;
            device->driver.send = netdev_send;
            device->driver.recv = netdev_recv;
            device->driver.isr = netdev_isr;
            device->driver.set = netdev_set;
            if (dev->driver->confirm_send != NULL) { /* NULL marks a driver of the old interface: it must stay so */
                device->driver.confirm_send = netdev_confirm;
#ifdef MODULE_IEEE802154_SUBMAC
                device->has_hal = true;
#endif
            }
            dev->driver = &device->driver;
            return;
        }
    }
}

static void report(netdev_event_t event, bool has_hal)
{
    switch (event) {
    case NETDEV_EVENT_RX_STARTED:
        if (!has_hal) {
            GPIORIG_EVENT(RADIO_RX_START);
        }
        break;
    case NETDEV_EVENT_RX_COMPLETE:
        if (!has_hal) {
            GPIORIG_EVENT(RADIO_RX_COMPLETE);
        }
        break;
    case NETDEV_EVENT_CRC_ERROR:
        if (!has_hal) {
            GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
        }
        break;
    case NETDEV_EVENT_TX_STARTED:
        if (!has_hal) {
            GPIORIG_EVENT_ID(RADIO_TX_START, sending);
        }
        break;
    case NETDEV_EVENT_TX_COMPLETE:
    case NETDEV_EVENT_TX_COMPLETE_DATA_PENDING:
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, sending);
        break;
    case NETDEV_EVENT_TX_NOACK:
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, sending);
        break;
    case NETDEV_EVENT_TX_MEDIUM_BUSY:
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, sending);
        break;
    default:
        break;
    }
}

/** Without a table of vectors in RAM this is the first that software sees of a radio's interrupt. */
static void interrupted(netdev_t *dev, netdev_event_cb_t callback)
{
#ifdef GPIORIG_VECTORS
    callback(dev, NETDEV_EVENT_ISR);
#else
    if (!irq_is_in()) { /* a submac asks for its bottom half from a thread, too */
        callback(dev, NETDEV_EVENT_ISR);
        return;
    }
    GPIORIG_ENTER(ISR_RADIO);
    callback(dev, NETDEV_EVENT_ISR);
    GPIORIG_EXIT(ISR_RADIO);
#endif
}

static void netdev_happened(netdev_t *dev, netdev_event_t event)
{
    const struct decorated *device = find(dev);

    if (event == NETDEV_EVENT_ISR) {
        interrupted(dev, device->callback);
    } else {
        report(event, device->has_hal);
        device->callback(dev, event);
    }
}

void gpiorig_netdev_listen(netdev_t *dev)
{
    for (struct decorated *device = devices; device < devices + GPIORIG_NETDEVS; device++) {
        if (device->dev == dev && dev->event_callback != NULL && dev->event_callback != netdev_happened) {
            device->callback = dev->event_callback;
            dev->event_callback = netdev_happened;
        }
    }
}

uint16_t gpiorig_netdev_sending(void)
{
    return sending;
}

bool gpiorig_netdev_is_receiving(void)
{
    return receiving;
}
