/** How the ping-pong reaches the other node: over UDP (link-udp.c) or over the MAC alone (link-mac.c). */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>

#include "contiki.h"
#include "net/linkaddr.h"

/** Called for what comes in; `from` is who sent it. */
typedef void link_received(const uint8_t *payload, uint16_t length, const linkaddr_t *from);

/** From the process that is to be called. */
void link_open(link_received *received);

/** The node has another link-layer address (linkaddr_node_addr): what is above it follows. */
void link_address(void);

/** Sends to a node, or with NULL to all. */
void link_send(const uint8_t *payload, uint16_t length, const linkaddr_t *to);

#endif
