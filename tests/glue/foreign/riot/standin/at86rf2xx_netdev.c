/** The driver's table (RIOT: drivers/at86rf2xx/at86rf2xx_netdev.c): the old interface, without confirm_send. */
#include <string.h>

#include "at86rf2xx.h"
#include "at86rf2xx_netdev.h"

extern uint8_t radio_frame[128];
extern volatile uint8_t radio_irq_status;
void radio_interrupt(void);

at86rf2xx_t radio;

void radio_interrupt(void)
{
    radio.netdev.netdev.event_callback(&radio.netdev.netdev, NETDEV_EVENT_ISR);
}

void at86rf2xx_setup(at86rf2xx_t *dev, const at86rf2xx_params_t *params, uint8_t index)
{
    (void)params;
    dev->netdev.netdev.driver = &at86rf2xx_driver;
    netdev_register(&dev->netdev.netdev, NETDEV_AT86RF2XX, index);
}

static int init(netdev_t *dev)
{
    (void)dev;
    return 0;
}

static int send(netdev_t *netdev, const iolist_t *list)
{
    at86rf2xx_t *dev = (at86rf2xx_t *)netdev;
    size_t length = 0;

    at86rf2xx_tx_prepare(dev);
    for (; list != NULL; list = list->iol_next) {
        length = at86rf2xx_tx_load(dev, list->iol_base, list->iol_len, length);
    }
    at86rf2xx_tx_exec(dev);
    netdev->event_callback(netdev, NETDEV_EVENT_TX_STARTED);
    return (int)length;
}

static int recv(netdev_t *netdev, void *buf, size_t len, void *info)
{
    at86rf2xx_t *dev = (at86rf2xx_t *)netdev;

    (void)info;
    if (buf != NULL) {
        memcpy(buf, radio_frame, len);
    }
    return dev->tx_frame_len;
}

static void isr(netdev_t *netdev)
{
    uint8_t status = radio_irq_status;

    radio_irq_status = 0;
    if ((status & 1) != 0) {
        netdev->event_callback(netdev, NETDEV_EVENT_RX_STARTED);
    }
    if ((status & 4) != 0) {
        netdev->event_callback(netdev, NETDEV_EVENT_TX_COMPLETE);
    }
    if ((status & 2) != 0) {
        netdev->event_callback(netdev, NETDEV_EVENT_RX_COMPLETE);
    }
}

static int option_get(netdev_t *dev, netopt_t opt, void *value, size_t max_len)
{
    (void)dev;
    (void)opt;
    (void)value;
    (void)max_len;
    return -ENOTSUP;
}

static int option_set(netdev_t *dev, netopt_t opt, const void *value, size_t value_len)
{
    (void)dev;
    (void)opt;
    (void)value;
    (void)value_len;
    return -ENOTSUP;
}

const netdev_driver_t at86rf2xx_driver = { .send = send, .recv = recv, .init = init, .isr = isr, .get = option_get,
                                           .set = option_set };
