/** The mesh header, RFC 4944 5.2: 10, both addresses short, 4 bits of hops left, originator, final destination. */
#ifndef MESH_H
#define MESH_H

#include <stdint.h>

#include "packet.h"

#define MESH 0x80u
#define MESH_MASK 0xC0u
#define MESH_SHORT_ADDRESSES 0x30u
#define MESH_HOPS_MASK 0x0Fu
#define MESH_HOPS 0x0Eu /* the most; 15 means that more follow */
#define MESH_LENGTH 5u

static inline void mesh_write(uint8_t *header, const struct packet *packet)
{
    header[0] = MESH | MESH_SHORT_ADDRESSES | MESH_HOPS;
    put_be16(header + 1, packet->source);
    put_be16(header + 3, packet->destination);
}

#endif
