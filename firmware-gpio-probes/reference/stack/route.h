/** Which neighbour leads to a node: what floods (flood.h) have shown, else `set next_hop`, one for all destinations. */
#ifndef ROUTE_H
#define ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#define ROUTE_NONE 0u

/** The short address of the next hop; when none is known or set, `destination` itself, but with floods ROUTE_NONE. */
uint16_t route_next_hop(uint16_t destination);

/** Takes the settings over; no flood has come yet. */
void route_configure(void);

/**
 * A flood of that origin came from that neighbour over `hops` hops. The first one with a newer sequence number replaces the
 * route, another one with that number if it has fewer hops. True for the first one; false also without room for the origin.
 */
bool route_learn(uint16_t origin, uint16_t neighbour, uint8_t hops, uint8_t sequence);

#endif
