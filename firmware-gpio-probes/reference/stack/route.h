/** Which neighbour leads to a node: `set next_hop`, one for all destinations. */
#ifndef ROUTE_H
#define ROUTE_H

#include <stdint.h>

/** The short address of the next hop: `destination` itself when no next hop is set, and for MAC_BROADCAST. */
uint16_t route_next_hop(uint16_t destination);

#endif
