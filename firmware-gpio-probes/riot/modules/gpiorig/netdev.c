/** The driver, whatever radio: a netdev whose table of functions is replaced by a clone with probes, and its events. */
#include "gpiorig_riot.h"

#include "irq.h"
#include "net/netopt.h"
#include "thread.h"
#ifdef MODULE_NETDEV_IEEE802154_SUBMAC
#include "net/netdev/ieee802154_submac.h"
#endif

#ifndef GPIORIG_NETDEVS
#define GPIORIG_NETDEVS 2
#endif

#define ACK_LENGTH_MOST 5 /* IEEE 802.15.4-2006 7.2.2.3: 3 bytes, and 2 of FCS where a radio hands them out */

static struct decorated {
    netdev_t *dev;
    const netdev_driver_t *original;
    netdev_event_cb_t callback;
    bool has_hal; /* a submac above a radio of the abstraction layer: hal.c sees its frames nearer to the radio */
    kernel_pid_t serving; /* the thread in its bottom half */
    bool reporting;       /* to whoever drives it, in there */
    netdev_driver_t driver;
} devices[GPIORIG_NETDEVS];

static uint16_t sending;

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
    uint16_t id = gpiorig_list_id(list), under_way = sending;
    int result;

    sending = id;
    GPIORIG_ENTER_ID(DRIVER_TX, id);
    result = find(dev)->original->send(dev, list);
#ifdef MODULE_AT86RF2XX
    gpiorig_at86rf2xx_loaded(); /* with AT86RF2XX_OPT_PRELOADING the command comes later */
#endif
    if (result < 0) { /* refused: the events to come are still about the frame before */
        sending = under_way;
    }
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

static int netdev_recv(netdev_t *dev, void *buffer, size_t length, void *info)
{
    const struct decorated *device = find(dev);
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

/** Whoever drives the device has set its callback by now. */
static int netdev_init(netdev_t *dev)
{
    const netdev_driver_t *original = find(dev)->original;
    int result;

    gpiorig_netdev_listen(dev);
    result = original->init(dev);
#ifdef MODULE_AT86RF2XX
    gpiorig_at86rf2xx_mark_frames(dev, original);
#endif
    return result;
}

/* Below GNRC this is a thread's; OpenWSN calls it in the interrupt. */
static void netdev_isr(netdev_t *dev)
{
    struct decorated *device = find(dev);

    device->serving = thread_getpid();
    GPIORIG_ENTER(DRIVER_ISR);
    device->original->isr(dev);
    GPIORIG_EXIT(DRIVER_ISR);
    device->serving = KERNEL_PID_UNDEF;
}

/** Drivers of the new interface state here how the transmission ended. */
static int netdev_confirm(netdev_t *dev, void *info)
{
    const struct decorated *device = find(dev);
    int result = device->original->confirm_send(dev, info);

    if (result == -EAGAIN) {
        return result;
    }
    if (!device->has_hal && result == -EBUSY) {
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, sending);
    } else if (!device->has_hal && result == -EHOSTUNREACH) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, sending);
    } else if (!device->has_hal && result >= 0) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, sending);
    }
    GPIORIG_EVENT_ID(DRIVER_CONFIRM, sending);
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

/** The device's place; one that is free if it has none yet; NULL if there is none left. */
static struct decorated *place_of(const netdev_t *dev)
{
    for (struct decorated *device = devices; device < devices + GPIORIG_NETDEVS; device++) {
        if (device->dev == dev || device->dev == NULL) {
            return device;
        }
    }
    return NULL;
}

void gpiorig_netdev_decorate(netdev_t *dev)
{
    struct decorated *device = place_of(dev);

    if (device == NULL || dev->driver == &device->driver) {
        return;
    }
    device->dev = dev;
    device->original = dev->driver;
    device->driver = *dev->driver;
    device->driver.init = netdev_init;
    device->driver.send = netdev_send;
    device->driver.recv = netdev_recv;
    device->driver.isr = netdev_isr;
    device->driver.set = netdev_set;
    if (dev->driver->confirm_send != NULL) { /* NULL marks a driver of the old interface: it must stay so */
        device->driver.confirm_send = netdev_confirm;
    }
    dev->driver = &device->driver;
}

#ifdef MODULE_NETDEV

void __real_netdev_register_signal(netdev_t *dev, netdev_type_t type, uint8_t index);
void __wrap_netdev_register_signal(netdev_t *dev, netdev_type_t type, uint8_t index);

/** RIOT calls it with CONFIG_NETDEV_REGISTER_SIGNAL (Makefile.include) and has none of its own; an application may have one. */
__attribute__((weak)) void netdev_register_signal(netdev_t *dev, netdev_type_t type, uint8_t index)
{
    (void)dev;
    (void)type;
    (void)index;
}

/** The setup of each driver ends here, whoever will drive it: GNRC, lwIP, OpenThread, the application. */
void __wrap_netdev_register_signal(netdev_t *dev, netdev_type_t type, uint8_t index)
{
    if (dev->driver != NULL) { /* a submac is registered before it has its table: below */
        gpiorig_netdev_decorate(dev);
    }
    __real_netdev_register_signal(dev, type, index);
}

#endif

#ifdef MODULE_NETDEV_IEEE802154_SUBMAC

int __real_netdev_ieee802154_submac_init(netdev_ieee802154_submac_t *submac);
int __wrap_netdev_ieee802154_submac_init(netdev_ieee802154_submac_t *submac);

int __wrap_netdev_ieee802154_submac_init(netdev_ieee802154_submac_t *submac)
{
    netdev_t *dev = &submac->dev.netdev;
    int result = __real_netdev_ieee802154_submac_init(submac);
    struct decorated *device = place_of(dev);

    gpiorig_netdev_decorate(dev);
    if (device != NULL) {
        device->has_hal = true;
    }
    return result;
}

#endif

static void report(netdev_event_t event, const struct decorated *device)
{
    bool has_hal = device->has_hal;

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
        if (has_hal) {
            gpiorig_hal_ended();
        } else if (device->original->confirm_send == NULL) { /* else it comes also when the transmission failed */
            GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, sending);
        }
        break;
#ifdef MODULE_NETDEV_LEGACY_API
    case NETDEV_EVENT_TX_COMPLETE_DATA_PENDING:
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, sending);
        break;
    case NETDEV_EVENT_TX_NOACK:
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, sending);
        break;
    case NETDEV_EVENT_TX_MEDIUM_BUSY:
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, sending);
        break;
#endif
    default:
        break;
    }
}

/** Without its vector in RAM this is the first that software sees of a radio's interrupt. */
static void radio_interrupted(netdev_t *dev, netdev_event_cb_t callback)
{
#if defined GPIORIG_VECTORS && defined GPIORIG_IRQ_RADIO
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
    struct decorated *device = find(dev);

    if (event == NETDEV_EVENT_ISR) {
        radio_interrupted(dev, device->callback);
    } else {
        report(event, device);
        device->reporting = true;
        device->callback(dev, event);
        device->reporting = false;
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

bool gpiorig_netdev_is_serving(void)
{
    kernel_pid_t me = thread_getpid();

    for (const struct decorated *device = devices; device < devices + GPIORIG_NETDEVS; device++) {
        if (me != KERNEL_PID_UNDEF && device->serving == me && !device->reporting) {
            return true;
        }
    }
    return false;
}
