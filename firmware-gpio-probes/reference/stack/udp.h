/** UDP with one port. */
#ifndef UDP_H
#define UDP_H

#include <stdbool.h>

#include "packet.h"

#define UDP_PORT 0xF0B0u /* 61616, of the range RFC 6282 4.3.1 compresses to a nibble */

/** Sends a payload from the port to the same port of packet->destination. */
bool udp_send(struct packet *packet);

/** Checks a received datagram, takes the header off and hands the payload to the application. */
void udp_receive(struct packet *packet);

#endif
