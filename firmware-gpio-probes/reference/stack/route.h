/** Which neighbour leads to a node. */
#ifndef ROUTE_H
#define ROUTE_H

#include <stdint.h>

/** The short address of the next hop: `destination` itself for a neighbour, and for MAC_BROADCAST. */
uint16_t route_next_hop(uint16_t destination);

#endif
