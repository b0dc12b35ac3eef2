/** What the stack must know of the SPIRIT1. */
#ifndef RADIO_LIMITS_H
#define RADIO_LIMITS_H

/* The numbers of the 2.4 GHz band, so that one setting serves all radios: channel 11 is CHNUM 0 (spirit1_registers.h). */
#define RADIO_CHANNEL_FIRST 11u
#define RADIO_CHANNEL_LAST 26u
#define RADIO_CHANNEL_DEFAULT 26u

/* A frame without its FCS must fit the FIFOs of 96 bytes (data sheet, page 1); the chip adds and checks the CRC itself. */
#define RADIO_FCS_LENGTH 2u
#define RADIO_PSDU_MAX (96u + RADIO_FCS_LENGTH)

/* When to give up a transmission: 4 tries, each of 4 back-offs of 1, 3, 7 and 15 units of 0.32 ms at most and 5 ms of air. */
#define RADIO_GUARD_US 300000u

#endif
