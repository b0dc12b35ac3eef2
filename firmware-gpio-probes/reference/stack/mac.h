/**
 * The MAC layer: IEEE 802.15.4-2006 data frames within one PAN, short addresses, acknowledged unless broadcast. It owns the
 * radio. When a frame goes out, the MAC protocol that `set mac` chose decides: one file each, mac_NAME.c.
 */
#ifndef MAC_H
#define MAC_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "line.h"
#include "packet.h"
#include "radio.h"
#include "radio_limits.h"

#define MAC_PAN 0x6770u
#define MAC_BROADCAST 0xFFFFu /* IEEE 802.15.4-2006 7.2.1.4 */
#define MAC_HEADER_LENGTH 9u
#define MAC_PAYLOAD_MAX (RADIO_PSDU_MAX - RADIO_FCS_LENGTH - MAC_HEADER_LENGTH)

/* RFC 4944 5.1: a first byte 00xxxxxx means that no 6LoWPAN follows. 0: a payload of the application; others: the protocol's. */
#define MAC_NOT_LOWPAN_MASK 0xC0u
#define MAC_APPLICATION 0x00u

/* Signals of mac_actor. PACKET_SETTLED is taken. */
#define MAC_SIGNAL_RADIO SIGNAL(0) /* the radio's interrupt: radio_service is called */
#define MAC_SIGNAL_CONFIGURE SIGNAL(1)
#define MAC_SIGNAL_START SIGNAL(2) /* if it was stopped */
#define MAC_SIGNAL_STOP SIGNAL(3)
#define MAC_SIGNAL_PROTOCOL(n) SIGNAL(4 + (n)) /* n 0 to 10: the protocol's own */

/** A MAC protocol. All functions run in mac_actor. */
struct mac {
    const char *name;
    bool uses_csma;             /* the radio's CSMA-CA and retries, unless `set csma 0` */
    bool asks_acknowledgements; /* of a frame to one node */
    /** After radio_configure, with the settings as they are; the radio listens. */
    void (*start)(void);
    /** No alarm is left set; packets it holds are settled. */
    void (*stop)(void);
    /** A framed packet to send, now or later; takes it, and settles it with mac_settle in the end. */
    void (*send)(struct packet *packet);
    /** Each frame for us or for all, as it came, its header in place. False: not taken, it goes up as usual. May be NULL. */
    bool (*received)(struct packet *packet);
    void (*confirmed)(uint16_t id, enum radio_result result);
    /** MAC_SIGNAL_PROTOCOL bits only. May be NULL. */
    void (*signal)(uint16_t bits);
    /** What it has counted, as pairs. May be NULL. */
    void (*report)(struct line *line);
};

extern struct actor mac_actor;

/** Starts the radio; false when it does not answer. Before kernel_run. */
bool mac_init(void);

/** False when the radio did not take the last settings over. */
bool mac_is_configured(void);

/** What the protocol has counted since its start, as pairs. */
void mac_report(struct line *line);

/* For MAC protocols. */

/** Puts a data frame's header before the payload, its sequence number included. PACKET_DOWN has done so for mac->send. */
void mac_frame(struct packet *packet);

/** Settles a packet by what the radio reports. */
void mac_settle(struct packet *packet, enum radio_result result);

#endif
