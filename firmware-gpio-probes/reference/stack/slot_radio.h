/** What the slotted MACs have in common: the radio on and off, frames at a set time, beacons, chance. All from mac_actor. */
#ifndef SLOT_RADIO_H
#define SLOT_RADIO_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

/* Packet ids of the MAC's own frames; the application's should stay below. */
#define SLOT_BEACON_ID 0xF000u

/* A beacon's payload begins with one of these (RFC 4944 5.1: not a LoWPAN frame) and ends with the id of the frame. */
#define SLOT_BEACON_TDMA 0x20u
#define SLOT_BEACON_SLOTS 0x21u

/** The MAC starts: the radio listens. */
void slot_radio_start(void);

/** Nothing is sent any more, and no slot is in use; the receiver stays as it is. */
void slot_radio_stop(void);

/** Settles what waits to be sent: the MAC stops. */
void slot_radio_give_up(struct packet **packet, struct packet_queue *queue);

/** A slot in use begins and ends: the events slot.active. One that is still open ends first. */
void slot_radio_enter_slot(uint16_t id);
void slot_radio_leave_slot(void);

/** The receiver on or off, with the events slot.rx. */
void slot_radio_listen(bool on);

/** Sends at once; the end is confirmed. False: nothing was sent. */
bool slot_radio_send(struct packet *packet);

/**
 * Loads a frame and has the alarm's interrupt send it, so that its SFD ends at this time. True: the end will be confirmed, as
 * RADIO_BUSY when loading took until after the time.
 */
bool slot_radio_send_at(struct packet *packet, uint32_t sfd_us);

/** To be called first when a transmission is confirmed. */
void slot_radio_confirmed(void);

/** A broadcast frame of the MAC's own around `length` bytes, which begin with SLOT_BEACON_*; NULL when there is no buffer. */
struct packet *slot_radio_beacon(const uint8_t *bytes, uint16_t length, uint16_t number);

/** What such a frame carries, its length being `length`; NULL when it is something else. */
const uint8_t *slot_radio_beacon_bytes(struct packet *packet, uint8_t kind, uint16_t length);

/** A random number; the same sequence for the same seed and address. */
uint32_t slot_radio_draw(void);

#endif
