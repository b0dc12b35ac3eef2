/** Datagrams that come in fragments (RFC 4944 5.3): their parts, until they are complete or given up. */
#ifndef REASSEMBLY_H
#define REASSEMBLY_H

#include <stdint.h>

#include "inet.h"
#include "packet.h"

#define DATAGRAM_MAX (IPV6_HEADER_LENGTH + UDP_HEADER_LENGTH + PAYLOAD_MAX)

struct fragment {
    uint16_t size; /* of the complete datagram, its headers as if they were not compressed */
    uint16_t tag;
    uint16_t offset; /* of this part, a multiple of 8 */
};

/**
 * Takes a part in: what the packet holds, headers restored where they were compressed. Returns the datagram when it is complete.
 * The part stays the caller's.
 */
struct packet *reassembly_add(struct packet *part, const struct fragment *fragment);

/** Gives up what has waited too long; to be called on SIXLOWPAN_SIGNAL_TIMEOUT. */
void reassembly_expire(void);

/** Gives up everything; no alarm is left set. */
void reassembly_stop(void);

/** Datagrams given up. */
uint32_t reassembly_incomplete(void);

#endif
