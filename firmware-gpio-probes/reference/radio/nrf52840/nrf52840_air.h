/**
 * The radio on the air: it listens, acknowledges what is for it, sends a frame, and keeps what it received. Its interrupt does
 * all that follows at once; what can wait is the driver's (nrf52840.c, nrf52840_sender.c).
 */
#ifndef NRF52840_AIR_H
#define NRF52840_AIR_H

#include <stdbool.h>
#include <stdint.h>

#include "radio_limits.h"

/** A frame as EasyDMA writes and reads it. */
struct air_frame {
    uint8_t length;                   /* of the PSDU, its FCS included */
    uint8_t psdu[RADIO_PSDU_MAX + 1]; /* in the place of a received FCS: the LQI, and nothing */
};

/** One that was received. */
struct arrival {
    struct air_frame frame;
    uint32_t sfd_us; /* node timer when its SFD had gone by */
};

enum air_outcome { AIR_NONE, AIR_SENT, AIR_BUSY };

/** Sets everything up; the radio is off. */
void air_init(void);

/** What it acknowledges and receives; nothing else. */
void air_configure(uint16_t pan, uint16_t address);

/** The radio is to be off. */
void air_set_channel(uint8_t channel);

void air_listen(void);
void air_off(void);

/** A frame is arriving. */
bool air_is_receiving(void);

/** An acknowledgement is being sent. */
bool air_is_acknowledging(void);

/** The frame to send: to be filled before air_send. */
struct air_frame *air_outgoing(void);

/**
 * Sends it: after a clear channel assessment, or at once. A frame that arrives is lost. Afterwards the radio listens, or is
 * off, as `stays_on` states. air_departs is called when the ramp-up begins, from the interrupt or from here.
 */
void air_send(bool has_cca, bool stays_on);

/** The end of it, once. */
enum air_outcome air_take_outcome(void);

/** The driver's. */
void air_departs(void);

/** The oldest frame that waits, until air_release; NULL when there is none. */
const struct arrival *air_received(void);
void air_release(void);

/** Sequence number of an acknowledgement that came, once; -1: none. */
int air_take_acknowledgement(void);

/** Frames whose checksum was wrong, and those without room, since the last call. */
uint8_t air_take_crc_errors(void);
uint8_t air_take_overruns(void);

/** What the interrupt does, for a driver that waits busily. */
void air_interrupts(bool on);
void air_poll(void);

#endif
