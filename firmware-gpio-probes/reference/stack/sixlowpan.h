/** 6LoWPAN: IPv6 packets in one frame each, their headers compressed (RFC 6282). No fragments. */
#ifndef SIXLOWPAN_H
#define SIXLOWPAN_H

#include <stdbool.h>

#include "packet.h"

/** Compresses the headers of an IPv6 packet and hands it to the MAC. */
bool sixlowpan_send(struct packet *packet);

/** Restores the headers and hands the IPv6 packet up. */
void sixlowpan_receive(struct packet *packet);

#endif
