/** What the stack must know of the nRF52840's radio. PS: nRF52840 Product Specification, section "RADIO". */
#ifndef RADIO_LIMITS_H
#define RADIO_LIMITS_H

/* IEEE 802.15.4 operation: channels of the 2.4 GHz band */
#define RADIO_CHANNEL_FIRST 11u
#define RADIO_CHANNEL_LAST 26u
#define RADIO_CHANNEL_DEFAULT 26u

/* The backoff is software: nrf52840_csma.c */
#define RADIO_EXPONENT_LEAST 0u
#define RADIO_EXPONENT_MOST 5u

/* IEEE 802.15.4 operation, packet structure: the longest PSDU, its FCS included */
#define RADIO_PSDU_MAX 127u
#define RADIO_FCS_LENGTH 2u

/* When to give up a transmission: as long as for an AT86RF231, which retries as often. */
#define RADIO_GUARD_US 300000u

/* From radio_fire to the end of the SFD on the air: the fast ramp-up (tTXEN,FAST), 1 us to the air, 5 bytes of SHR. */
#define RADIO_FIRE_TO_SFD_US (41u + 5u * RADIO_OCTET_US)
#define RADIO_OCTET_US 32u
/* From there to the end of the frame: length field and PSDU. */
#define RADIO_FRAME_US(psdu_length) ((1u + (psdu_length)) * RADIO_OCTET_US)
/* From radio_listen(true) to the receiver: ramp-up after what is left of a DISABLE (21 us). */
#define RADIO_LISTEN_US 80u

#endif
