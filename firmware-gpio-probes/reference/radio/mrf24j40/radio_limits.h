/** What the stack must know of the MRF24J40. */
#ifndef RADIO_LIMITS_H
#define RADIO_LIMITS_H

/* Microchip DS39776C, register 2-48: channels of the 2.4 GHz band */
#define RADIO_CHANNEL_FIRST 11u
#define RADIO_CHANNEL_LAST 26u
#define RADIO_CHANNEL_DEFAULT 26u

/* MACMINBE of TXMCR has two bits */
#define RADIO_EXPONENT_LEAST 0u
#define RADIO_EXPONENT_MOST 3u

/* 3.12: the longest PSDU, its FCS included */
#define RADIO_PSDU_MAX 127u
#define RADIO_FCS_LENGTH 2u

/* When to give up a transmission: as long as for an AT86RF231, which retries as often. */
#define RADIO_GUARD_US 300000u

/*
 * From radio_fire to the end of the SFD on the air: 8 us on average to the chip's next tick of 16 us, 26 ticks (TXSTBL and TXTIME
 * have 12 of them; the other 14 were measured with CSMA-CA, docs/evidence/silicon.md, and are assumed without it), 5 bytes of SHR.
 */
#define RADIO_FIRE_TO_SFD_US (8u + 26u * 16u + 5u * RADIO_OCTET_US)
#define RADIO_OCTET_US 32u
/* From there to the end of the frame: PHR and PSDU. */
#define RADIO_FRAME_US(psdu_length) ((1u + (psdu_length)) * RADIO_OCTET_US)
/* From radio_listen(true) to the receiver, which is on all the time: the SPI. */
#define RADIO_LISTEN_US 20u

#endif
