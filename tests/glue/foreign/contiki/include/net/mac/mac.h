/** What the glue uses of Contiki-NG 5.0's os/net/mac/mac.h (dc777b11). Declarations only, written for these tests. */
#ifndef NET_MAC_MAC_H
#define NET_MAC_MAC_H

#include "contiki.h"
#include "dev/radio.h"

typedef void (*mac_callback_t)(void *ptr, int status, int transmissions);

static inline void mac_call_sent_callback(mac_callback_t sent, void *ptr, int status, int transmissions)
{
    if (sent != NULL) {
        sent(ptr, status, transmissions);
    }
}

struct mac_driver {
    char *name;
    void (*init)(void);
    void (*send)(mac_callback_t sent_callback, void *ptr);
    void (*input)(void);
    int (*on)(void);
    int (*off)(void);
    int (*max_payload)(void);
};

enum {
    MAC_TX_OK,
    MAC_TX_COLLISION,
    MAC_TX_NOACK,
    MAC_TX_DEFERRED,
    MAC_TX_ERR,
    MAC_TX_ERR_FATAL,
    MAC_TX_QUEUE_FULL,
};

#endif
