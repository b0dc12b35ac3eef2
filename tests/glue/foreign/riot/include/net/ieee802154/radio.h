/* RIOT sys/include/net/ieee802154/radio.h, compared with commit c8bd52ff: the first operations. */
#ifndef RIOT_NET_IEEE802154_RADIO_H
#define RIOT_NET_IEEE802154_RADIO_H

#include <stdbool.h>
#include <stdint.h>

#include "byteorder.h"
#include "iolist.h"
#include "net/eui64.h"

typedef struct ieee802154_dev ieee802154_dev_t;
typedef struct ieee802154_radio_ops ieee802154_radio_ops_t;

enum { IEEE802154_CAP_FRAME_RETRANS = 1 << 0, IEEE802154_CAP_AUTO_CSMA = 1 << 1, IEEE802154_CAP_IRQ_ACK_TIMEOUT = 1 << 3 };

typedef enum {
    IEEE802154_RADIO_INDICATION_RX_START,
    IEEE802154_RADIO_INDICATION_CRC_ERROR,
    IEEE802154_RADIO_INDICATION_TX_START,
    IEEE802154_RADIO_INDICATION_RX_DONE,
    IEEE802154_RADIO_CONFIRM_TX_DONE,
    IEEE802154_RADIO_CONFIRM_CCA,
} ieee802154_trx_ev_t;

typedef enum {
    IEEE802154_HAL_OP_TRANSMIT,
    IEEE802154_HAL_OP_SET_RX,
    IEEE802154_HAL_OP_SET_IDLE,
    IEEE802154_HAL_OP_CCA,
} ieee802154_hal_op_t;

typedef struct {
    uint8_t rssi;
    uint8_t lqi;
    uint64_t timestamp;
} ieee802154_rx_info_t;

typedef enum { TX_STATUS_SUCCESS, TX_STATUS_FRAME_PENDING, TX_STATUS_NO_ACK, TX_STATUS_MEDIUM_BUSY } ieee802154_tx_status_t;

typedef struct {
    ieee802154_tx_status_t status;
    int8_t retrans;
} ieee802154_tx_info_t;

typedef void (*ieee802154_cb_t)(ieee802154_dev_t *dev, ieee802154_trx_ev_t status);

struct ieee802154_dev {
    const ieee802154_radio_ops_t *driver;
    void *priv;
    ieee802154_cb_t cb;
};

struct ieee802154_radio_ops {
    const uint32_t caps;
    int (*write)(ieee802154_dev_t *dev, const iolist_t *psdu);
    int (*len)(ieee802154_dev_t *dev);
    int (*read)(ieee802154_dev_t *dev, void *buf, size_t size, ieee802154_rx_info_t *info);
    int (*off)(ieee802154_dev_t *dev);
    int (*request_on)(ieee802154_dev_t *dev);
    int (*confirm_on)(ieee802154_dev_t *dev);
    int (*request_op)(ieee802154_dev_t *dev, ieee802154_hal_op_t op, void *ctx);
    int (*confirm_op)(ieee802154_dev_t *dev, ieee802154_hal_op_t op, void *ctx);
};

#endif
