/** UDP with one port: a payload goes down from the port to the same port of packet->destination, and up after its check. */
#ifndef UDP_H
#define UDP_H

#include "kernel.h"

#define UDP_PORT 0xF0B0u /* 61616, of the range RFC 6282 4.3.1 compresses to a nibble */

extern struct actor udp_actor;

#endif
