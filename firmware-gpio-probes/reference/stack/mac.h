/** IEEE 802.15.4-2006 data frames within one PAN, short addresses, acknowledged. */
#ifndef MAC_H
#define MAC_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "packet.h"
#include "radio_limits.h"

#define MAC_HEADER_LENGTH 9u
#define MAC_PAYLOAD_MAX (RADIO_PSDU_MAX - RADIO_FCS_LENGTH - MAC_HEADER_LENGTH)

/* Signals of mac_actor. */
#define MAC_SIGNAL_RADIO SIGNAL(0) /* the radio's interrupt */

extern struct actor mac_actor;

void mac_set_address(uint16_t pan, uint16_t address);

/** Frames the packet for packet->destination and hands it to the radio. */
bool mac_send(struct packet *packet);

/** Takes a received frame apart, drops repetitions, and hands it up. */
void mac_receive(struct packet *packet);

#endif
