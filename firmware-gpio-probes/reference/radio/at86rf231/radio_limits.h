/** What the stack must know of the AT86RF231. */
#ifndef RADIO_LIMITS_H
#define RADIO_LIMITS_H

/* Atmel 8111C 9.7.2: channels of the 2.4 GHz band */
#define RADIO_CHANNEL_FIRST 11u
#define RADIO_CHANNEL_LAST 26u
#define RADIO_CHANNEL_DEFAULT 26u

/* MIN_BE, up to MAX_BE (at86rf231_registers.h) */
#define RADIO_EXPONENT_LEAST 0u
#define RADIO_EXPONENT_MOST 5u

/* 8.1: the longest PSDU, its FCS included */
#define RADIO_PSDU_MAX 127u
#define RADIO_FCS_LENGTH 2u

/* When to give up a transmission. The longest TX_ARET, 4 tries of 5 backoffs with exponents 3, 4, 5, 5, 5, takes 170 ms. */
#define RADIO_GUARD_US 300000u

/*
 * From radio_fire to the end of the SFD on the air: 16 us until the first symbol (7.1.4.4), 5 bytes of SHR (8.1.1). A board
 * adds its way from the call to the edge of SLP_TR, some microseconds.
 */
#define RADIO_FIRE_TO_SFD_US (16u + 5u * RADIO_OCTET_US)
#define RADIO_OCTET_US 32u
/* From there to the end of the frame: PHR and PSDU (8.1). */
#define RADIO_FRAME_US(psdu_length) ((1u + (psdu_length)) * RADIO_OCTET_US)
/* From radio_listen(true) to the receiver: TRX_OFF to PLL_ON, 110 us, and 1 us to RX_AACK_ON (table 7-1), and the SPI. */
#define RADIO_LISTEN_US 200u

#endif
