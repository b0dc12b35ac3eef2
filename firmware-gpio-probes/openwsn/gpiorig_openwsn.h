/** What the files of this glue share. Its Makefile tells what it is for. */
#ifndef GPIORIG_OPENWSN_H
#define GPIORIG_OPENWSN_H

#include "gpiorig/probe.h"

#include "opendefs.h"

/* --wrap=X sends what refers to X to __wrap_X, and makes __real_X the X. Both have the type that OpenWSN declares. */
#define GPIORIG_WRAPS(function)                   \
    extern __typeof__(function) __real_##function; \
    extern __typeof__(function) __wrap_##function

/** The markers of a node that has become synchronised, and of one that has lost it. */
#define GPIORIG_SYNCHRONISED 0x5301u
#define GPIORIG_NOT_SYNCHRONISED 0x5300u

/** The radio has been switched off: every slot ends with that. */
void gpiorig_slot_radio_off(void);

/** A slot is over, and with it the wait for an acknowledgement. */
void gpiorig_radio_slot_over(void);

#endif
