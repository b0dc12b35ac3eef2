/** What the glue uses of Contiki-NG 5.0's os/dev/radio.h (01809bb4). Declarations only, written for these tests. */
#ifndef DEV_RADIO_H
#define DEV_RADIO_H

#include <stddef.h>

typedef int radio_value_t;
typedef unsigned radio_param_t;

enum { RADIO_PARAM_POWER_MODE, RADIO_PARAM_CHANNEL, RADIO_PARAM_16BIT_ADDR, RADIO_PARAM_64BIT_ADDR };

typedef enum {
    RADIO_RESULT_OK,
    RADIO_RESULT_NOT_SUPPORTED,
    RADIO_RESULT_INVALID_VALUE,
    RADIO_RESULT_ERROR,
} radio_result_t;

enum { RADIO_TX_OK, RADIO_TX_ERR, RADIO_TX_COLLISION, RADIO_TX_NOACK };

struct radio_driver {
    int (*init)(void);
    int (*prepare)(const void *payload, unsigned short payload_len);
    int (*transmit)(unsigned short transmit_len);
    int (*send)(const void *payload, unsigned short payload_len);
    int (*read)(void *buf, unsigned short buf_len);
    int (*channel_clear)(void);
    int (*receiving_packet)(void);
    int (*pending_packet)(void);
    int (*on)(void);
    int (*off)(void);
    radio_result_t (*get_value)(radio_param_t param, radio_value_t *value);
    radio_result_t (*set_value)(radio_param_t param, radio_value_t value);
    radio_result_t (*get_object)(radio_param_t param, void *dest, size_t size);
    radio_result_t (*set_object)(radio_param_t param, const void *src, size_t size);
};

#endif
