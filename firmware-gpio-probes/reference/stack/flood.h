/**
 * Flooding packets, by which nodes find their routes (`set flood_us`): each node sends one every flood_us, each other one sends
 * it on once, and the neighbour from which it came over the fewest hops leads to its origin. Broadcasts of a mesh as in RFC 4944
 * 11.1: a mesh header (5.2) to all, which has the origin and the hops left, and LOWPAN_BC0 with a sequence number.
 *
 * Rodriguez-Zurrunero et al., Electronics 8 (2019), 3.2: "Sensor nodes periodically send flooding packets in order to
 * self-discover the best route to reach each node in the network." What is best, the period and the packets are not stated.
 *
 * All functions run in sixlowpan_actor.
 */
#ifndef FLOOD_H
#define FLOOD_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

/** The first packet is due at a random time of the first period. */
void flood_start(void);

void flood_stop(void);

/** At the signal SIXLOWPAN_SIGNAL_FLOOD. */
void flood_send(void);

/** A packet of another node, its mesh header in place, `hops` away. True: to be sent on. */
bool flood_receive(struct packet *packet, uint8_t hops);

#endif
