/** What the stack must know of the AT86RF231. */
#ifndef RADIO_LIMITS_H
#define RADIO_LIMITS_H

/* Atmel 8111C 9.7.2: channels of the 2.4 GHz band */
#define RADIO_CHANNEL_FIRST 11u
#define RADIO_CHANNEL_LAST 26u
#define RADIO_CHANNEL_DEFAULT 26u

/* 8.1: the longest PSDU, its FCS included */
#define RADIO_PSDU_MAX 127u
#define RADIO_FCS_LENGTH 2u

/* When to give up a transmission. The longest TX_ARET, 4 tries of 5 backoffs with exponents 3, 4, 5, 5, 5, takes 170 ms. */
#define RADIO_GUARD_US 300000u

#endif
