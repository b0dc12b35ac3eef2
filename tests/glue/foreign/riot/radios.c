/**
 * Radios that there is no model of, for the PC: what RIOT's submac, its CC2420 driver and OpenWSN ask of one, in their
 * order, through the glue. The events are in the probe library's log.
 */
#include <string.h>

#include "gpiorig_riot.h"

#include "cc2420_internal.h"
#include "cc2420_registers.h"
#include "irq.h"
#include "net/ieee802154/submac.h"
#include "ztimer.h"

#define ACK_REQUEST 0x20u

int __wrap_ieee802154_submac_init(ieee802154_submac_t *submac, const network_uint16_t *short_address,
                                  const eui64_t *long_address);
void __wrap_ztimer_sleep(ztimer_clock_t *clock, uint32_t duration);
uint8_t __wrap_cc2420_strobe(const cc2420_t *dev, const uint8_t command);
void __wrap_cc2420_fifo_write(const cc2420_t *dev, uint8_t *data, const size_t length);
int __wrap_openwsn_radio_init(void *radio);

struct gpiorig_host gpiorig_host; /* the port wants it; there are no pins */

static bool interrupt, netif_thread;
static uint32_t instant;
static ieee802154_submac_t submac;
static ieee802154_dev_t *const radio = &submac.dev;
static netdev_t dev;
static unsigned callbacks;

/* The rest of RIOT. */

bool irq_is_in(void)
{
    return interrupt;
}

bool gpiorig_in_netif_thread(void)
{
    return netif_thread;
}

uint32_t gpiorig_now(void)
{
    return instant++;
}

void __real_ztimer_sleep(ztimer_clock_t *clock, uint32_t duration);
void __real_ztimer_sleep(ztimer_clock_t *clock, uint32_t duration)
{
    (void)clock;
    (void)duration;
}

static void radio_callback(ieee802154_dev_t *of, ieee802154_trx_ev_t status)
{
    (void)of;
    (void)status;
    callbacks++;
}

int __real_ieee802154_submac_init(ieee802154_submac_t *of, const network_uint16_t *short_address,
                                  const eui64_t *long_address);
int __real_ieee802154_submac_init(ieee802154_submac_t *of, const network_uint16_t *short_address,
                                  const eui64_t *long_address)
{
    (void)short_address;
    (void)long_address;
    return of->dev.driver->request_op(&of->dev, IEEE802154_HAL_OP_SET_RX, NULL);
}

int __real_openwsn_radio_init(void *of);
int __real_openwsn_radio_init(void *of)
{
    ((ieee802154_dev_t *)of)->cb = radio_callback;
    return 0;
}

/* A radio of the abstraction layer without any hardware of the MAC. */

static int radio_write(ieee802154_dev_t *of, const iolist_t *psdu)
{
    (void)of;
    (void)psdu;
    return 0;
}

static int radio_length(ieee802154_dev_t *of)
{
    (void)of;
    return 13;
}

static int radio_read(ieee802154_dev_t *of, void *buffer, size_t size, ieee802154_rx_info_t *info)
{
    static const uint8_t ack[3] = { 0x02, 0x00, 0x77 };
    static const uint8_t frame[13] = { 0x61, 0x88, 0x78, 0x70, 0x67, 1, 0, 2, 0, 0x05, 0x06, 0x05, 0x06 };
    const uint8_t *from = size == sizeof ack ? ack : frame;

    (void)of;
    (void)info;
    memcpy(buffer, from, size);
    return (int)size;
}

static int radio_request(ieee802154_dev_t *of, ieee802154_hal_op_t op, void *ctx)
{
    (void)of;
    (void)op;
    (void)ctx;
    return 0;
}

static const ieee802154_radio_ops_t radio_ops = { .write = radio_write, .len = radio_length, .read = radio_read,
                                                  .request_op = radio_request };

static void request(ieee802154_hal_op_t op)
{
    radio->driver->request_op(radio, op, NULL);
}

/** The radio says something, in its interrupt. */
static void says(ieee802154_trx_ev_t status)
{
    interrupt = true;
    radio->cb(radio, status);
    interrupt = false;
}

/* The network device above it (RIOT: drivers/netdev_ieee802154_submac). */

static int submac_send(netdev_t *of, const iolist_t *list)
{
    (void)of;
    __wrap_ztimer_sleep(NULL, 320); /* a backoff */
    request(IEEE802154_HAL_OP_CCA);
    request(IEEE802154_HAL_OP_SET_IDLE);
    return radio->driver->write(radio, list);
}

static int submac_confirm(netdev_t *of, void *info)
{
    static int calls;

    (void)of;
    (void)info;
    return calls++ == 0 ? -EAGAIN : 13;
}

static int submac_recv(netdev_t *of, void *buffer, size_t length, void *info)
{
    static const uint8_t ack[3] = { 0x02, 0x00, 0x78 };
    const iolist_t list = { .iol_base = (void *)(uintptr_t)ack, .iol_len = sizeof ack };

    (void)of;
    if (buffer == NULL) {
        return radio->driver->len(radio);
    }
    radio->driver->read(radio, buffer, length, info);
    radio->driver->write(radio, &list); /* the acknowledgement, by software */
    __wrap_ztimer_sleep(NULL, 192);
    request(IEEE802154_HAL_OP_TRANSMIT);
    says(IEEE802154_RADIO_INDICATION_TX_START);
    says(IEEE802154_RADIO_CONFIRM_TX_DONE);
    return (int)length;
}

static void submac_isr(netdev_t *of)
{
    (void)of;
    request(IEEE802154_HAL_OP_TRANSMIT);
    says(IEEE802154_RADIO_INDICATION_TX_START);
}

static int option(netdev_t *of, netopt_t opt, const void *value, size_t length)
{
    (void)of;
    (void)opt;
    (void)value;
    (void)length;
    return 0;
}

static const netdev_driver_t submac_driver = { .send = submac_send, .confirm_send = submac_confirm, .recv = submac_recv,
                                               .isr = submac_isr, .set = option };

static void netdev_callback(netdev_t *of, netdev_event_t event)
{
    (void)of;
    (void)event;
    callbacks++;
}

static uint8_t header[9] = { 0x41 | ACK_REQUEST, 0x88, 0x77, 0x70, 0x67, 2, 0, 1, 0 };
static uint8_t payload[4] = { 0x03, 0x04, 0x03, 0x04 };
static iolist_t body = { .iol_base = payload, .iol_len = sizeof payload };
static iolist_t frame = { .iol_next = &body, .iol_base = header, .iol_len = sizeof header };

static void submac_start(void)
{
    gpiorig_init();
    netif_thread = true;
    submac.dev = (ieee802154_dev_t){ .driver = &radio_ops, .cb = radio_callback };
    __wrap_ieee802154_submac_init(&submac, NULL, NULL);
    dev = (netdev_t){ .driver = &submac_driver, .event_callback = netdev_callback };
    gpiorig_netdev_decorate(&dev);
    gpiorig_netdev_listen(&dev);
}

void submac_transmission(void);
void submac_transmission(void)
{
    uint8_t ack[3];

    submac_start();
    dev.driver->send(&dev, &frame);
    dev.event_callback(&dev, NETDEV_EVENT_ISR); /* a bottom half, asked for from the thread */
    dev.driver->isr(&dev);
    dev.driver->confirm_send(&dev, NULL); /* not yet */
    says(IEEE802154_RADIO_CONFIRM_TX_DONE);
    request(IEEE802154_HAL_OP_SET_RX);
    says(IEEE802154_RADIO_INDICATION_RX_START);
    says(IEEE802154_RADIO_INDICATION_RX_DONE);
    radio->driver->read(radio, ack, sizeof ack, NULL);
    dev.event_callback(&dev, NETDEV_EVENT_TX_COMPLETE);
    dev.driver->confirm_send(&dev, NULL);
}

void submac_retransmission(void);
void submac_retransmission(void)
{
    submac_start();
    dev.driver->send(&dev, &frame);
    request(IEEE802154_HAL_OP_TRANSMIT);
    says(IEEE802154_RADIO_CONFIRM_TX_DONE);
    request(IEEE802154_HAL_OP_TRANSMIT); /* no acknowledgement came: once more */
    says(IEEE802154_RADIO_CONFIRM_TX_DONE);
    dev.driver->send(&dev, &frame); /* given up: the next frame */
}

void submac_reception(void);
void submac_reception(void)
{
    uint8_t buffer[13];

    submac_start();
    says(IEEE802154_RADIO_INDICATION_RX_START);
    says(IEEE802154_RADIO_INDICATION_RX_DONE);
    interrupt = true;
    dev.event_callback(&dev, NETDEV_EVENT_ISR);
    interrupt = false;
    dev.event_callback(&dev, NETDEV_EVENT_RX_COMPLETE); /* the radio has said so */
    dev.driver->recv(&dev, NULL, 0, NULL);
    dev.driver->recv(&dev, buffer, sizeof buffer, NULL);
    request(IEEE802154_HAL_OP_SET_RX);
}

/* CC2420, of the old interface, pre-loading included. */

uint8_t __real_cc2420_strobe(const cc2420_t *of, const uint8_t command);
uint8_t __real_cc2420_strobe(const cc2420_t *of, const uint8_t command)
{
    (void)of;
    return command;
}

void __real_cc2420_fifo_write(const cc2420_t *of, uint8_t *data, const size_t length);
void __real_cc2420_fifo_write(const cc2420_t *of, uint8_t *data, const size_t length)
{
    (void)of;
    (void)data;
    (void)length;
}

static int cc2420_driver_send(netdev_t *of, const iolist_t *list)
{
    (void)of;
    __wrap_cc2420_strobe(NULL, CC2420_STROBE_FLUSHTX);
    for (; list != NULL; list = list->iol_next) {
        __wrap_cc2420_fifo_write(NULL, list->iol_base, list->iol_len);
    }
    __wrap_cc2420_strobe(NULL, CC2420_STROBE_TXONCCA);
    return 13;
}

static int cc2420_driver_recv(netdev_t *of, void *buffer, size_t length, void *info)
{
    (void)of;
    (void)info;
    return buffer == NULL ? 13 : radio_read(NULL, buffer, length, NULL);
}

static const netdev_driver_t cc2420_driver = { .send = cc2420_driver_send, .recv = cc2420_driver_recv, .set = option };

void cc2420_rounds(void);
void cc2420_rounds(void)
{
    const netopt_state_t transmit = NETOPT_STATE_TX, idle = NETOPT_STATE_IDLE;
    uint8_t buffer[13];

    gpiorig_init();
    dev = (netdev_t){ .driver = &cc2420_driver, .event_callback = netdev_callback };
    gpiorig_netdev_decorate(&dev);
    gpiorig_netdev_listen(&dev);
    dev.driver->send(&dev, &frame);
    dev.driver->set(&dev, NETOPT_STATE, &idle, sizeof idle); /* no event */
    dev.driver->set(&dev, NETOPT_STATE, &transmit, sizeof transmit);
    dev.event_callback(&dev, NETDEV_EVENT_RX_COMPLETE);
    dev.driver->recv(&dev, NULL, 0, NULL);
    dev.driver->recv(&dev, buffer, sizeof buffer, NULL);
    dev.driver->recv(&dev, NULL, 1, NULL); /* drops one */
    dev.event_callback(&dev, NETDEV_EVENT_TX_NOACK);
    dev.event_callback(&dev, NETDEV_EVENT_TX_MEDIUM_BUSY);
}

bool confirm_is_kept_null(void);
bool confirm_is_kept_null(void)
{
    return dev.driver->confirm_send == NULL;
}

/* OpenWSN sets the callback inside its init. */
void openwsn_slot(void);
void openwsn_slot(void)
{
    gpiorig_init();
    submac.dev = (ieee802154_dev_t){ .driver = &radio_ops };
    __wrap_openwsn_radio_init(&submac.dev);
    radio->driver->write(radio, &frame);
    request(IEEE802154_HAL_OP_TRANSMIT);
    says(IEEE802154_RADIO_INDICATION_TX_START);
}

unsigned callbacks_seen(void);
unsigned callbacks_seen(void)
{
    return callbacks;
}
