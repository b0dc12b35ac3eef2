/**
 * The MAC, in place of its struct: send is mac.tx (CSMA only queues in it; what follows is a timer's), input is mac.rx. The
 * callback that ends a transmission, retries included, is radio.tx_complete, .tx_no_ack or .tx_busy.
 */
#include "gpiorig-contiki.h"

#ifndef GPIORIG_OFF

#include "net/mac/mac.h"
#include "net/packetbuf.h"

extern const struct mac_driver GPIORIG_REAL(GPIORIG_MAC);
extern const struct mac_driver GPIORIG_WRAP(GPIORIG_MAC);
#define MAC GPIORIG_REAL(GPIORIG_MAC)

/* The MAC hands back the pointer it was given, once or, when it drops a queue, never. Callers use few pairs of callback and
 * pointer, again and again: so pairs are kept for ever, not one for each packet. */
#define CALLERS 8

static struct caller {
    mac_callback_t sent;
    void *pointer;
} callers[CALLERS];

static uint16_t packet_id(void)
{
    return gpiorig_tail(packetbuf_dataptr(), packetbuf_datalen());
}

static void caller_sent(void *which, int status, int transmissions)
{
    const struct caller *caller = which;
    uint16_t id = packet_id();

    switch (status) {
    case MAC_TX_OK:
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, id);
        break;
    case MAC_TX_NOACK:
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, id);
        break;
    case MAC_TX_COLLISION:
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, id);
        break;
    default: /* it was never on the air */
        break;
    }
    mac_call_sent_callback(caller->sent, caller->pointer, status, transmissions);
}

/** The caller's place; NULL when there is none left. An unused one has no callback, as a caller may have: told by a count. */
static struct caller *place_of(mac_callback_t sent, void *pointer)
{
    static uint8_t used;

    for (uint8_t at = 0; at < used; at++) {
        if (callers[at].sent == sent && callers[at].pointer == pointer) {
            return &callers[at];
        }
    }
    if (used == CALLERS) {
        gpiorig_unhooked++;
        return NULL;
    }
    callers[used] = (struct caller){sent, pointer};
    return &callers[used++];
}

static void mac_init(void)
{
    MAC.init();
}

static void mac_send(mac_callback_t sent, void *pointer)
{
    struct caller *caller = place_of(sent, pointer);
    uint16_t id = packet_id();

    GPIORIG_ENTER_ID(MAC_TX, id);
    if (caller != NULL) {
        MAC.send(caller_sent, caller);
    } else {
        MAC.send(sent, pointer);
    }
    GPIORIG_EXIT_ID(MAC_TX, id);
}

static void mac_input(void)
{
    uint16_t id = packet_id();

    GPIORIG_ENTER_ID(MAC_RX, id);
    MAC.input();
    GPIORIG_EXIT_ID(MAC_RX, id);
}

static int mac_on(void)
{
    return MAC.on();
}

static int mac_off(void)
{
    return MAC.off();
}

static int mac_max_payload(void)
{
    return MAC.max_payload();
}

const struct mac_driver GPIORIG_WRAP(GPIORIG_MAC) = {
    .name = GPIORIG_TEXT(GPIORIG_MAC),
    .init = mac_init,
    .send = mac_send,
    .input = mac_input,
    .on = mac_on,
    .off = mac_off,
    .max_payload = mac_max_payload,
};

#endif
