/** The receiver of a CC2420, and its oscillator. */
#ifndef CC2420_RECEIVER_H
#define CC2420_RECEIVER_H

#include <stdbool.h>

extern bool receiver_wanted; /* by radio_listen */

/** receiver_wanted, for the sender. */
bool receiver_is_wanted(void);

/** False when it does not start. */
bool receiver_start_oscillator(void);

/** Drops the frames in the RXFIFO. */
void receiver_flush(void);

/** Off, once an acknowledgement that is being sent is out. A frame that arrives is lost. */
void receiver_off(void);

/** Waits until the channel can be assessed, with a receiver that was off until now. */
void receiver_on(void);

#endif
