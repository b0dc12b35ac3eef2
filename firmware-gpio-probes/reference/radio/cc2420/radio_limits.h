/** What the stack must know of the CC2420. */
#ifndef RADIO_LIMITS_H
#define RADIO_LIMITS_H

/* SWRS041 section 26: channels of the 2.4 GHz band */
#define RADIO_CHANNEL_FIRST 11u
#define RADIO_CHANNEL_LAST 26u
#define RADIO_CHANNEL_DEFAULT 26u

/* The backoff is software: cc2420_csma.c */
#define RADIO_EXPONENT_LEAST 0u
#define RADIO_EXPONENT_MOST 5u

/* Section 16.2: the longest MPDU, its FCS included */
#define RADIO_PSDU_MAX 127u
#define RADIO_FCS_LENGTH 2u

/* When to give up a transmission: as long as for an AT86RF231, which retries as often. */
#define RADIO_GUARD_US 300000u

/* From radio_fire to the end of the SFD on the air: 12 symbols of turnaround (section 17.1), 5 bytes of SHR (16.1). */
#define RADIO_FIRE_TO_SFD_US (12u * 16u + 5u * RADIO_OCTET_US)
#define RADIO_OCTET_US 32u
/* From there to the end of the frame: length field and MPDU (16.1). */
#define RADIO_FRAME_US(psdu_length) ((1u + (psdu_length)) * RADIO_OCTET_US)
/* From radio_listen(true) to the receiver: 12 symbols (section 19), and the SPI. */
#define RADIO_LISTEN_US 300u

#endif
