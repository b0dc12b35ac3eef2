/** What the stack must know of the CC2420. */
#ifndef RADIO_LIMITS_H
#define RADIO_LIMITS_H

/* SWRS041 section 26: channels of the 2.4 GHz band */
#define RADIO_CHANNEL_FIRST 11u
#define RADIO_CHANNEL_LAST 26u
#define RADIO_CHANNEL_DEFAULT 26u

/* Section 16.2: the longest MPDU, its FCS included */
#define RADIO_PSDU_MAX 127u
#define RADIO_FCS_LENGTH 2u

/* When to give up a transmission: as long as for an AT86RF231, which retries as often. */
#define RADIO_GUARD_US 300000u

#endif
