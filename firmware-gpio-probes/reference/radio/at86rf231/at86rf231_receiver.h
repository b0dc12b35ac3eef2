/** The receiver of an AT86RF231: it listens in RX_AACK_ON, so that acknowledgements are the chip's. */
#ifndef AT86RF231_RECEIVER_H
#define AT86RF231_RECEIVER_H

#include <stdbool.h>

extern bool receiver_wanted; /* by radio_listen */

/** Listens, or is off, as wanted. False when the chip does not obey. */
bool receiver_resume(void);

#endif
