/**
 * A radio, as the MAC sees it: it listens, acknowledges what is for it, and sends, with CSMA-CA, acknowledgement and retries
 * or at once. A folder next to this file drives each chip, its radio_limits.h has what the stack must know of it. Every wait
 * has a bound; every bound overrun is counted.
 *
 * All functions are called from one actor, but for radio_fire, which an interrupt may call.
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

enum radio_finish {
    RADIO_FINISH_INTERRUPT, /* radio_send returns at once, an interrupt tells the end */
    RADIO_FINISH_BUSY,      /* radio_send returns when the frame is out; no interrupt is taken for it */
};

struct radio_settings {
    uint16_t pan;
    uint16_t address;
    uint8_t channel; /* RADIO_CHANNEL_FIRST to RADIO_CHANNEL_LAST */
    bool csma;       /* false: radio_send sends at once and once, without clear channel assessment and retries */
    bool backoff;    /* false: CSMA with backoff exponent 0; the clear channel assessment stays */
    uint8_t exponent; /* of the first backoff, RADIO_EXPONENT_LEAST to RADIO_EXPONENT_MOST */
    enum radio_finish finish; /* of radio_send */
    uint32_t seed;   /* of the backoff; mixed with the address */
    bool is_yetimote; /* the packets of Rodriguez-Zurrunero et al., Electronics 8 (2019), 3.1; radios with RADIO_PROFILES */
};

/** Where the driver reports; both are called from radio_service, or from radio_abort. */
struct radio_callbacks {
    /**
     * A frame without its FCS, in a packet of the pool that is the callee's from now on. received_us is the node's time when
     * the frame's SFD had gone by on the air; docs/reference/reference-firmware.md has its uncertainty.
     */
    void (*received)(struct packet *packet);
    void (*confirmed)(uint16_t id, enum radio_result result);
};

/** Resets the chip and checks that it is one; false when it does not answer as it should. */
bool radio_init(const struct radio_callbacks *callbacks);

/** Takes settings over and listens. Aborts a transmission that is under way; it is not confirmed. */
bool radio_configure(const struct radio_settings *settings);

/**
 * Sends a frame without FCS. True: the end will be confirmed, by radio_service whatever `finish` is; false: nothing was sent,
 * or something is being sent or loaded. The packet is not needed any more when this returns.
 */
bool radio_send(struct packet *packet);

/**
 * Brings a frame into the chip and the chip to where it can send at once; it does not listen any more. False as above. Ends
 * with radio_fire or radio_abort.
 */
bool radio_load(struct packet *packet);

/**
 * From an interrupt, or not: sends what is loaded, at once and once, whatever settings.csma is. RADIO_FIRE_TO_SFD_US later
 * its SFD has gone by on the air; its end is confirmed by an interrupt. False: nothing is loaded.
 */
bool radio_fire(void);

/**
 * False: from now on, or from the end of what is being sent, the receiver is off until switched on; sending is possible.
 * True: it listens, RADIO_LISTEN_US from now. False is returned when the chip does not obey.
 */
bool radio_listen(bool on);

/** Another channel, the rest as it was; false while something is being sent or loaded. A frame that is coming in is lost. */
bool radio_set_channel(uint8_t channel);

/** A frame is arriving. */
bool radio_is_receiving(void);

/** True from a successful radio_send or radio_load to the confirmation. */
bool radio_is_sending(void);

/**
 * When the frame that was confirmed last began to be sent, if its departure is recorded: the node's timer just after
 * radio.tx_start. False: the driver does not know, because the chip decided (CSMA). Once for each frame.
 */
bool radio_departed(uint32_t *departed_us);

/** Gives a transmission up that never ends, or is loaded; it is confirmed as RADIO_BUSY. */
void radio_abort(void);

/** To be called, outside the interrupt, after the signal MAC_SIGNAL_RADIO that the driver gives mac_actor. */
void radio_service(void);

/** Overrun bounds, frames dropped, and other things that should not happen, since reset. */
uint32_t radio_errors(void);

#endif
