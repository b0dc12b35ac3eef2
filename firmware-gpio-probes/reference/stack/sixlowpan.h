/**
 * 6LoWPAN: header compression (RFC 6282), fragments for what does not fit a frame (RFC 4944 5.3), and the mesh header (5.2)
 * for what goes to its destination by way of others. The next fragment is sent when the one before is confirmed.
 */
#ifndef SIXLOWPAN_H
#define SIXLOWPAN_H

#include <stdint.h>

#include "kernel.h"

/* Signals of sixlowpan_actor. PACKET_SETTLED is taken. */
#define SIXLOWPAN_SIGNAL_TIMEOUT SIGNAL(0) /* of a reassembly */
#define SIXLOWPAN_SIGNAL_STOP SIGNAL(1)    /* no reassembly continues, no flood is sent */
#define SIXLOWPAN_SIGNAL_START SIGNAL(2)   /* of floods */
#define SIXLOWPAN_SIGNAL_FLOOD SIGNAL(3)   /* one is due */

struct sixlowpan_counts {
    uint32_t fragments;  /* sent */
    uint32_t forwarded;  /* frames, for others */
    uint32_t incomplete; /* datagrams given up for want of a fragment */
};

extern struct actor sixlowpan_actor;

struct sixlowpan_counts sixlowpan_counts(void);

#endif
