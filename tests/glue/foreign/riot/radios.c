/**
 * Radios that there is no model of, for the PC: what RIOT's submac, its CC2420 driver and OpenWSN ask of one, in their
 * order, through the glue. The events are in the probe library's log.
 */
#include <string.h>

#include "gpiorig_riot.h"

#include "cc2420_internal.h"
#include "cc2420_registers.h"
#include "irq.h"
#include "net/netdev/ieee802154_submac.h"
#include "thread.h"
#include "ztimer.h"

#define ACK_REQUEST 0x20u

int __wrap_ieee802154_submac_init(ieee802154_submac_t *submac, const network_uint16_t *short_address,
                                  const eui64_t *long_address);
void __wrap_ztimer_sleep(ztimer_clock_t *clock, uint32_t duration);
uint8_t __wrap_cc2420_strobe(const cc2420_t *dev, const uint8_t command);
void __wrap_cc2420_fifo_write(const cc2420_t *dev, uint8_t *data, const size_t length);
int __wrap_openwsn_radio_init(void *radio);
int __wrap_netdev_ieee802154_submac_init(netdev_ieee802154_submac_t *submac);

struct gpiorig_host gpiorig_host; /* the port wants it; there are no pins */

static bool interrupt;
static kernel_pid_t running = 1;
static uint32_t instant;
static netdev_ieee802154_submac_t submac_dev;
static ieee802154_submac_t *const submac = &submac_dev.submac;
static ieee802154_dev_t *const radio = &submac_dev.submac.dev;
static netdev_t *const above = &submac_dev.dev.netdev;
static netdev_t dev;
static unsigned callbacks;
static ieee802154_tx_status_t outcome;

/* The rest of RIOT. */

bool irq_is_in(void)
{
    return interrupt;
}

kernel_pid_t thread_getpid(void)
{
    return running;
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

static int radio_confirm(ieee802154_dev_t *of, ieee802154_hal_op_t op, void *ctx)
{
    (void)of;
    if (op == IEEE802154_HAL_OP_TRANSMIT) {
        ((ieee802154_tx_info_t *)ctx)->status = outcome;
    }
    return 0;
}

static const ieee802154_radio_ops_t radio_ops = { .write = radio_write, .len = radio_length, .read = radio_read,
                                                  .request_op = radio_request, .confirm_op = radio_confirm };

static void request(ieee802154_hal_op_t op)
{
    radio->driver->request_op(radio, op, NULL);
}

static const ieee802154_radio_ops_t *radio_table = &radio_ops;

/** The radio says something, in its interrupt. */
static void says(ieee802154_trx_ev_t status)
{
    interrupt = true;
    radio->cb(radio, status);
    interrupt = false;
}

/*
 * The network device above it (RIOT c8bd52ff: drivers/netdev_ieee802154_submac and sys/net/link_layer/ieee802154): send
 * loads the frame; the bottom half backs off and starts it.
 */

static int submac_send(netdev_t *of, const iolist_t *list)
{
    request(IEEE802154_HAL_OP_SET_IDLE);
    radio->driver->write(radio, list);
    of->event_callback(of, NETDEV_EVENT_ISR); /* a bottom half, asked for from a thread */
    return 0;
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
    ieee802154_tx_info_t sent;

    (void)of;
    (void)info;
    if (buffer == NULL) {
        return radio->driver->len(radio);
    }
    radio->driver->read(radio, buffer, length, NULL);
    radio->driver->write(radio, &list); /* the acknowledgement, by software */
    __wrap_ztimer_sleep(NULL, 192);
    request(IEEE802154_HAL_OP_TRANSMIT);
    says(IEEE802154_RADIO_INDICATION_TX_START);
    says(IEEE802154_RADIO_CONFIRM_TX_DONE);
    radio->driver->confirm_op(radio, IEEE802154_HAL_OP_TRANSMIT, &sent);
    return (int)length;
}

static enum { BACK_OFF, SENT, ACK_READ, GIVEN_UP, RECEIVED } next;

static void submac_isr(netdev_t *of)
{
    ieee802154_tx_info_t info;
    uint8_t ack[3];

    switch (next) {
    case BACK_OFF:
        __wrap_ztimer_sleep(NULL, 320);
        request(IEEE802154_HAL_OP_TRANSMIT);
        return;
    case SENT:
        radio->driver->confirm_op(radio, IEEE802154_HAL_OP_TRANSMIT, &info);
        request(IEEE802154_HAL_OP_SET_RX);
        return;
    case ACK_READ:
        radio->driver->read(radio, ack, sizeof ack, NULL);
        of->event_callback(of, NETDEV_EVENT_TX_COMPLETE);
        return;
    case GIVEN_UP:
        of->event_callback(of, NETDEV_EVENT_TX_COMPLETE); /* also then */
        return;
    case RECEIVED:
        of->event_callback(of, NETDEV_EVENT_RX_COMPLETE);
        return;
    }
}

static void bottom_half(int step)
{
    next = step;
    above->driver->isr(above);
}

static int option(netdev_t *of, netopt_t opt, const void *value, size_t length)
{
    (void)of;
    (void)opt;
    (void)value;
    (void)length;
    return 0;
}

static void netdev_callback(netdev_t *of, netdev_event_t event)
{
    callbacks++;
    if (event == NETDEV_EVENT_RX_COMPLETE && of == above) {
        uint8_t buffer[13];

        of->driver->recv(of, NULL, 0, NULL);
        of->driver->recv(of, buffer, sizeof buffer, NULL);
    }
}

static int init(netdev_t *of)
{
    of->event_callback(of, NETDEV_EVENT_LINK_UP);
    return 0;
}

static const netdev_driver_t submac_driver = { .send = submac_send, .confirm_send = submac_confirm, .recv = submac_recv,
                                               .init = init, .isr = submac_isr, .set = option };

int __real_netdev_ieee802154_submac_init(netdev_ieee802154_submac_t *of);
int __real_netdev_ieee802154_submac_init(netdev_ieee802154_submac_t *of)
{
    of->dev.netdev.driver = &submac_driver;
    of->submac.dev.cb = radio_callback;
    return 0;
}

static uint8_t header[9] = { 0x41 | ACK_REQUEST, 0x88, 0x77, 0x70, 0x67, 2, 0, 1, 0 };
static uint8_t payload[4] = { 0x03, 0x04, 0x03, 0x04 };
static iolist_t body = { .iol_base = payload, .iol_len = sizeof payload };
static iolist_t frame = { .iol_next = &body, .iol_base = header, .iol_len = sizeof header };

/* As GNRC or an application does it. */
static void submac_start(void)
{
    gpiorig_init();
    submac->dev = (ieee802154_dev_t){ .driver = radio_table };
    netdev_register(above, NETDEV_ANY, 0); /* it has no table yet */
    __wrap_netdev_ieee802154_submac_init(&submac_dev);
    above->event_callback = netdev_callback;
    above->driver->init(above);
    __wrap_ieee802154_submac_init(submac, NULL, NULL); /* from the driver's init */
    __wrap_ztimer_sleep(NULL, 1000); /* somebody else's */
}

static void transmit(ieee802154_tx_status_t status)
{
    outcome = status;
    above->driver->send(above, &frame);
    bottom_half(BACK_OFF);
    says(IEEE802154_RADIO_INDICATION_TX_START);
    says(IEEE802154_RADIO_CONFIRM_TX_DONE);
    bottom_half(SENT);
}

void submac_transmission(void);
void submac_transmission(void)
{
    submac_start();
    transmit(TX_STATUS_SUCCESS);
    above->driver->confirm_send(above, NULL); /* not yet */
    says(IEEE802154_RADIO_INDICATION_RX_START);
    says(IEEE802154_RADIO_INDICATION_RX_DONE);
    bottom_half(ACK_READ);
    above->driver->confirm_send(above, NULL);
}

void submac_retransmission(void);
void submac_retransmission(void)
{
    submac_start();
    transmit(TX_STATUS_SUCCESS);
    bottom_half(BACK_OFF); /* no acknowledgement came: once more */
    says(IEEE802154_RADIO_CONFIRM_TX_DONE);
    bottom_half(SENT);
    bottom_half(GIVEN_UP);
}

/* The radio backs off alone; its driver sleeps in the bottom half, as the MRF24J40's does. */
void radio_with_csma(void);
void radio_with_csma(void)
{
    static const ieee802154_radio_ops_t ops = { .caps = IEEE802154_CAP_AUTO_CSMA, .write = radio_write,
                                                .len = radio_length, .read = radio_read,
                                                .request_op = radio_request, .confirm_op = radio_confirm };

    radio_table = &ops;
    submac_start();
    transmit(TX_STATUS_SUCCESS);
}

void submac_busy_channel(void);
void submac_busy_channel(void)
{
    submac_start();
    transmit(TX_STATUS_MEDIUM_BUSY);
    bottom_half(GIVEN_UP);
}

void submac_reception(void);
void submac_reception(void)
{
    submac_start();
    says(IEEE802154_RADIO_INDICATION_RX_START);
    says(IEEE802154_RADIO_INDICATION_RX_DONE);
    interrupt = true;
    above->event_callback(above, NETDEV_EVENT_ISR);
    interrupt = false;
    bottom_half(RECEIVED);
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

static const netdev_driver_t cc2420_driver = { .send = cc2420_driver_send, .recv = cc2420_driver_recv, .init = init,
                                               .set = option };

void cc2420_rounds(void);
void cc2420_rounds(void)
{
    const netopt_state_t transmit = NETOPT_STATE_TX, idle = NETOPT_STATE_IDLE;
    uint8_t buffer[13];

    gpiorig_init();
    dev = (netdev_t){ .driver = &cc2420_driver };
    netdev_register(&dev, NETDEV_ANY, 0); /* as the driver's setup ends; then whoever drives it sets its callback */
    dev.event_callback = netdev_callback;
    dev.driver->init(&dev);
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

/* The new interface above a driver of its own, as the AT86RF215's. */

static int confirmed;

static int driver_confirm(netdev_t *of, void *info)
{
    (void)of;
    (void)info;
    return confirmed;
}

static int driver_send(netdev_t *of, const iolist_t *list)
{
    (void)of;
    return list == &frame ? 0 : -EBUSY;
}

static const netdev_driver_t new_driver = { .send = driver_send, .confirm_send = driver_confirm, .init = init,
                                            .recv = cc2420_driver_recv, .set = option };

void new_interface(void);
void new_interface(void)
{
    static const int results[] = { -EAGAIN, 13, -EHOSTUNREACH, -EBUSY, -EIO };

    gpiorig_init();
    dev = (netdev_t){ .driver = &new_driver, .event_callback = netdev_callback };
    netdev_register(&dev, NETDEV_ANY, 0);
    gpiorig_netdev_decorate(&dev); /* again, as gnrc_netif_create does: nothing changes */
    dev.driver->init(&dev);
    dev.driver->send(&dev, &frame);
    dev.driver->send(&dev, NULL); /* refused: the frame before is still on its way */
    dev.event_callback(&dev, NETDEV_EVENT_TX_COMPLETE);
    for (unsigned at = 0; at < sizeof results / sizeof *results; at++) {
        confirmed = results[at];
        dev.driver->confirm_send(&dev, NULL);
    }
}

/* OpenWSN sets the callback inside its init. */
void openwsn_slot(void);
void openwsn_slot(void)
{
    gpiorig_init();
    submac->dev = (ieee802154_dev_t){ .driver = &radio_ops };
    __wrap_openwsn_radio_init(radio);
    radio->driver->write(radio, &frame);
    request(IEEE802154_HAL_OP_TRANSMIT);
    says(IEEE802154_RADIO_INDICATION_TX_START);
}

unsigned callbacks_seen(void);
unsigned callbacks_seen(void)
{
    return callbacks;
}
