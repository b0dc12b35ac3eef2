/** The receiver of a SPIRIT1. Of radio.h it defines radio_is_receiving. */
#ifndef SPIRIT1_RECEIVER_H
#define SPIRIT1_RECEIVER_H

#include <stdbool.h>

extern bool receiver_wanted; /* by radio_listen */

/** nIRQ is low. */
bool receiver_interrupts(void);

/** Waits for the end of a packet that arrives, and of the acknowledgement that the chip sends; then leaves RX for READY. */
bool receiver_off(void);

/** Leaves RX or TX for READY at once. */
bool receiver_break_off(void);

/** From READY: listens, or stays there, as wanted. False when the chip does not obey. */
bool receiver_resume(void);

#endif
