/** What the stack must know of the SPIRIT1. */
#ifndef RADIO_LIMITS_H
#define RADIO_LIMITS_H

#include <stdbool.h>

#define RADIO_PROFILES 1 /* `set radio_profile` */
/** As radio_configure was called last: packets have FEC, a shorter preamble and a shorter CRC. */
extern bool spirit1_is_yetimote;

/* The numbers of the 2.4 GHz band, so that one setting serves all radios: channel 11 is CHNUM 0 (spirit1_registers.h). */
#define RADIO_CHANNEL_FIRST 11u
#define RADIO_CHANNEL_LAST 26u
#define RADIO_CHANNEL_DEFAULT 26u

/* The default alone: its backoffs have their own lengths (RADIO_GUARD_US). */
#define RADIO_EXPONENT_LEAST 3u
#define RADIO_EXPONENT_MOST 3u

/* A frame without its FCS must fit the FIFOs of 96 bytes (data sheet, page 1); the chip adds and checks the CRC itself. */
#define RADIO_FCS_LENGTH 2u
#define RADIO_PSDU_MAX (96u + RADIO_FCS_LENGTH)

/* When to give up a transmission: 4 tries, each of 4 back-offs of 1, 3, 7 and 15 units of 0.32 ms at most and 8 ms of air. */
#define RADIO_GUARD_US 300000u

/*
 * From radio_fire to the end of the sync word on the air, which is this radio's SFD: from LOCK to TX (16 us, unverified: the
 * data sheet's figure could not be read), 8 or 4 bytes of preamble and 4 of sync word at 250.2 kb/s.
 */
#define RADIO_FIRE_TO_SFD_US (16u + (spirit1_is_yetimote ? 8u : 12u) * RADIO_OCTET_US)
#define RADIO_OCTET_US 32u
/*
 * From there to the end of the frame: length, two addresses, 3 bits of flags, payload, CRC; the PSDU counts payload and a CRC of
 * 2 bytes. FEC sends each bit of payload and CRC, here of 1 byte, as two.
 */
#define RADIO_FRAME_US(psdu_length) \
    ((3u + (spirit1_is_yetimote ? 2u * ((psdu_length) - 1u) : (psdu_length))) * RADIO_OCTET_US + 12u)
/* From radio_listen(true) to the receiver: READY to RX, 50 us (unverified), and the SPI. */
#define RADIO_LISTEN_US 200u

#endif
