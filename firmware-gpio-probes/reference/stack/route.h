/** Which neighbour leads to a node: what floods (flood.h) have shown, else `set next_hop`, one for all destinations. */
#ifndef ROUTE_H
#define ROUTE_H

#include <stdbool.h>
#include <stdint.h>

/** The short address of the next hop: `destination` itself when none is known or set, and for MAC_BROADCAST. */
uint16_t route_next_hop(uint16_t destination);

void route_forget(void);

/**
 * A flood of that origin came from that neighbour over so many hops. The first one with its sequence number replaces the route,
 * later ones do so if they have fewer hops. True for the first one; false also for more origins than there is room for.
 */
bool route_learn(uint16_t origin, uint16_t neighbour, uint8_t hops, uint8_t sequence);

#endif
