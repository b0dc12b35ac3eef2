/**
 * A radio, as the stack sees it: it listens, acknowledges what is for it, and sends with CSMA-CA, acknowledgement and
 * retries. A folder beside this file drives each chip, its radio_limits.h says what the stack must know of it. Every wait
 * has a bound; every bound overrun is counted.
 */
#ifndef RADIO_H
#define RADIO_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

enum radio_result {
    RADIO_SENT,   /* and acknowledged, when the frame asked for it */
    RADIO_NO_ACK, /* no acknowledgement after all retries */
    RADIO_BUSY,   /* the channel was never clear, or the chip did not take the frame */
};

struct radio_settings {
    uint16_t pan;
    uint16_t address;
    uint8_t channel; /* RADIO_CHANNEL_FIRST to RADIO_CHANNEL_LAST */
    bool backoff;    /* false: CSMA with backoff exponent 0; the clear channel assessment stays */
    uint32_t seed;   /* of the backoff; mixed with the address */
};

/** Where the driver reports; both are called from radio_service. */
struct radio_callbacks {
    void (*received)(struct packet *packet);
    void (*confirmed)(uint16_t id, enum radio_result result);
};

/** Resets the chip and checks that it is one; false when it does not answer as it should. */
bool radio_init(const struct radio_callbacks *callbacks);

/** Takes settings over and listens. Aborts a transmission that is under way. */
bool radio_configure(const struct radio_settings *settings);

/** Sends a frame without FCS. True: the end will be confirmed; false: nothing was sent. */
bool radio_send(struct packet *packet);

/** True from a successful radio_send to its confirmation. */
bool radio_is_sending(void);

/** Gives a transmission up that never ends; it is confirmed as RADIO_BUSY. */
void radio_abort(void);

/** To be called after an interrupt of the radio, outside the interrupt. */
void radio_service(void);

/** Overrun bounds, frames dropped, and other things that should not happen, since reset. */
uint32_t radio_errors(void);

#endif
