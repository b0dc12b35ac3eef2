/**
 * Driver of the AT86RF231 in its extended operating mode: it listens in RX_AACK_ON and sends in TX_ARET_ON, so that
 * acknowledgements, CSMA-CA and retries are the chip's. Every wait has a bound; every bound overrun is counted.
 */
#ifndef AT86RF231_H
#define AT86RF231_H

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
    uint8_t channel; /* 11..26 */
    bool backoff;    /* false: CSMA with backoff exponent 0; the clear channel assessment stays */
    uint32_t seed;   /* of the backoff; mixed with the address */
};

/** Where the driver reports; both are called from at86rf231_service. */
struct radio_callbacks {
    void (*received)(struct packet *packet);
    void (*confirmed)(uint16_t id, enum radio_result result);
};

/** Resets the chip and checks that it is one; false when it does not answer as it should. */
bool at86rf231_init(const struct radio_callbacks *callbacks);

/** Takes settings over and listens. Aborts a transmission that is under way. */
bool at86rf231_configure(const struct radio_settings *settings);

/** Sends a frame without FCS. True: the end will be confirmed; false: nothing was sent. */
bool at86rf231_send(struct packet *packet);

/** True from a successful at86rf231_send to its confirmation. */
bool at86rf231_is_sending(void);

/** Gives a transmission up that never ends; it is confirmed as RADIO_BUSY. */
void at86rf231_abort(void);

/** To be called after an interrupt of the radio, outside the interrupt. */
void at86rf231_service(void);

/** Overrun bounds, frames dropped, and other things that should not happen, since reset. */
uint32_t at86rf231_errors(void);

#endif
