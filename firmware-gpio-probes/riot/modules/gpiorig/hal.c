/**
 * Radios of the IEEE 802.15.4 abstraction layer (cc2538, nrf802154, mrf24j40, kw2xrf, ...): the table of operations of
 * one is replaced by a clone with probes, and its callback. What it says may come in an interrupt.
 */
#include "gpiorig_riot.h"

#if defined MODULE_IEEE802154_SUBMAC || (defined GPIORIG_OPENWSN && !defined MODULE_OPENWSN_RADIO_NETDEV)

#include <string.h>

#include "net/ieee802154/radio.h"

/* IEEE 802.15.4-2006 7.2.1.1: bits 0 to 2 of the first byte are the type of frame, bit 5 asks for an acknowledgement. */
#define FRAME_TYPE 0x07u
#define FRAME_IS_ACK 0x02u
#define FRAME_WANTS_ACK 0x20u

/* One radio: a node of the study has one. Its table begins with a constant, so it cannot be assigned. */
static const ieee802154_radio_ops_t *original;
static union {
    ieee802154_radio_ops_t ops;
    uint8_t bytes[sizeof(ieee802154_radio_ops_t)];
} clone;
static ieee802154_cb_t callback;

static struct {
    uint16_t id;
    bool is_ack;
    bool wants_ack;
    bool awaits_ack;
    ieee802154_tx_status_t status; /* as the radio states it: an acknowledgement by software is not in it */
} outgoing;

static void stop_waiting(void)
{
    if (outgoing.awaits_ack) {
        outgoing.awaits_ack = false;
        GPIORIG_EXIT_ID(MAC_ACK_WAIT, outgoing.id);
    }
}

static int hal_write(ieee802154_dev_t *dev, const iolist_t *psdu)
{
    uint8_t control = *(const uint8_t *)psdu->iol_base;
    int result;

    stop_waiting();
    outgoing.is_ack = (control & FRAME_TYPE) == FRAME_IS_ACK;
    if (outgoing.is_ack) { /* by software, while the frame it answers is being read; it carries no number */
        GPIORIG_ENTER(DRIVER_LOAD);
        result = original->write(dev, psdu);
        GPIORIG_EXIT(DRIVER_LOAD);
        return result;
    }
    outgoing.id = gpiorig_list_id(psdu);
    outgoing.wants_ack = (control & FRAME_WANTS_ACK) != 0;
    GPIORIG_ENTER_ID(DRIVER_LOAD, outgoing.id);
    result = original->write(dev, psdu);
    GPIORIG_EXIT_ID(DRIVER_LOAD, outgoing.id);
    return result;
}

static int hal_length(ieee802154_dev_t *dev)
{
    int result;

    GPIORIG_ENTER(DRIVER_RX_LENGTH);
    result = original->len(dev);
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    return result;
}

static int hal_read(ieee802154_dev_t *dev, void *buffer, size_t size, ieee802154_rx_info_t *info)
{
    int result;

    if (buffer == NULL) {
        GPIORIG_EVENT(DRIVER_RX_DROP);
        return original->read(dev, buffer, size, info);
    }
    GPIORIG_ENTER(DRIVER_RX_READ);
    result = original->read(dev, buffer, size, info);
    gpiorig_frame_read(buffer, result);
    return result;
}

static int hal_request(ieee802154_dev_t *dev, ieee802154_hal_op_t operation, void *context)
{
    int result;

    switch (operation) {
    case IEEE802154_HAL_OP_TRANSMIT:
        if (outgoing.is_ack) {
            GPIORIG_ENTER(DRIVER_EXEC);
            result = original->request_op(dev, operation, context);
            GPIORIG_EXIT(DRIVER_EXEC);
        } else {
            stop_waiting(); /* sent once more */
            GPIORIG_ENTER_ID(DRIVER_EXEC, outgoing.id);
            result = original->request_op(dev, operation, context);
            GPIORIG_EXIT_ID(DRIVER_EXEC, outgoing.id);
        }
        return result;
    case IEEE802154_HAL_OP_SET_RX:
        GPIORIG_EVENT(RADIO_SET_RX);
        break;
    case IEEE802154_HAL_OP_SET_IDLE:
        GPIORIG_EVENT(RADIO_SET_IDLE);
        break;
    case IEEE802154_HAL_OP_CCA:
        GPIORIG_EVENT(RADIO_CCA);
        break;
    }
    return original->request_op(dev, operation, context);
}

/** The frame is out. A radio that gets the acknowledgement by itself says so later; else software waits for it. */
static int hal_confirm(ieee802154_dev_t *dev, ieee802154_hal_op_t operation, void *context)
{
    uint32_t by_itself = IEEE802154_CAP_FRAME_RETRANS | IEEE802154_CAP_IRQ_ACK_TIMEOUT;
    int result = original->confirm_op(dev, operation, context);

    if (operation != IEEE802154_HAL_OP_TRANSMIT || result < 0 || context == NULL || outgoing.is_ack) {
        return result;
    }
    outgoing.status = ((const ieee802154_tx_info_t *)context)->status;
    if (outgoing.status == TX_STATUS_SUCCESS && outgoing.wants_ack && (original->caps & by_itself) == 0) {
        outgoing.awaits_ack = true;
        GPIORIG_ENTER_ID(MAC_ACK_WAIT, outgoing.id);
    }
    return result;
}

bool gpiorig_hal_lets_submac_back_off(void)
{
    return original != NULL && (original->caps & (IEEE802154_CAP_FRAME_RETRANS | IEEE802154_CAP_AUTO_CSMA)) == 0;
}

void gpiorig_hal_ended(void)
{
    bool unanswered = outgoing.awaits_ack;

    stop_waiting();
    if (outgoing.status == TX_STATUS_MEDIUM_BUSY) {
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, outgoing.id);
    } else if (unanswered || outgoing.status == TX_STATUS_NO_ACK) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, outgoing.id);
    } else {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, outgoing.id);
    }
}

static void hal_happened(ieee802154_dev_t *dev, ieee802154_trx_ev_t status)
{
    switch (status) {
    case IEEE802154_RADIO_INDICATION_RX_START:
        GPIORIG_EVENT(RADIO_RX_START);
        break;
    case IEEE802154_RADIO_INDICATION_CRC_ERROR:
        GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
        break;
    case IEEE802154_RADIO_INDICATION_TX_START:
        if (!outgoing.is_ack) {
            GPIORIG_EVENT_ID(RADIO_TX_START, outgoing.id);
        }
        break;
    case IEEE802154_RADIO_INDICATION_RX_DONE:
        stop_waiting();
        GPIORIG_EVENT(RADIO_RX_COMPLETE);
        break;
    default:
        break;
    }
    callback(dev, status);
}

void gpiorig_hal_decorate(ieee802154_dev_t *dev)
{
    if (original == NULL) {
        original = dev->driver;
        memcpy(clone.bytes, original, sizeof clone.bytes);
        clone.ops.write = hal_write;
        clone.ops.len = hal_length;
        clone.ops.read = hal_read;
        clone.ops.request_op = hal_request;
        clone.ops.confirm_op = hal_confirm;
        dev->driver = &clone.ops;
    }
    gpiorig_hal_listen(dev);
}

void gpiorig_hal_listen(ieee802154_dev_t *dev)
{
    if (dev->driver == &clone.ops && dev->cb != NULL && dev->cb != hal_happened) {
        callback = dev->cb;
        dev->cb = hal_happened;
    }
}

#endif
