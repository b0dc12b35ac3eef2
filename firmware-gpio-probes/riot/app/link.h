/** What carries the packets: UDP, GNRC's network interface, or a driver. One of link_*.c is built. */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>

#define LINK_BROADCAST 0xffffu
#define LINK_NO_NODE 0xfffdu /* of no node: settings.toml, address */
#define LINK_FOREVER UINT32_MAX

/** Two ends on each node: requests come in at one, replies at the other, each read by one thread. */
enum link_end { LINK_REQUESTS, LINK_REPLIES };

/** A packet begins with its kind. */
enum packet_kind { KIND_REQUEST = 'Q', KIND_REPLY = 'R', KIND_ONE_WAY = 'O' };

/** The end that takes packets of a kind. */
static inline enum link_end link_end_of(uint8_t kind)
{
    return kind == KIND_REPLY ? LINK_REPLIES : LINK_REQUESTS;
}

/** Once, before anything else here. */
bool link_init(void);

/** The calling thread will read this end. */
void link_open(enum link_end end);

/** No longer. */
void link_close(enum link_end end);

/** False when it was not taken. Replies go to the end for replies, all else to that for requests. */
bool link_send(uint16_t to, const uint8_t *payload, uint16_t length);

/** Waits for a packet; its length, or 0 when the time is up. A longer one is cut off. */
uint16_t link_receive(enum link_end end, uint8_t *payload, uint16_t size, uint32_t timeout_us, uint16_t *from);

/** Address, channel, backoffs, as in settings.h. False: the radio did not take one. */
bool link_configure(void);

#endif
