/** IPv6 between link-local neighbours: the header, and nothing to look up. */
#ifndef IPV6_H
#define IPV6_H

#include <stdbool.h>

#include "packet.h"

/** Puts the IPv6 header before a UDP datagram for packet->destination and sends it. */
bool ipv6_send(struct packet *packet);

/** Checks the header of a received packet, takes it off and hands the datagram up. */
void ipv6_receive(struct packet *packet);

#endif
