/**
 * No pin carries two lines, nor one that the board needs for itself: such a build fails, and the message names both.
 *
 * The port gives the pins it needs for itself as GPIORIG_PORT_RESERVED(X, ...), a list of X(pin, "its use",
 * __VA_ARGS__). -DGPIORIG_ANY_PIN leaves that check out: for a processor without its board.
 */
#ifndef GPIORIG_PINS_H
#define GPIORIG_PINS_H

#include "lines.h"

#if GPIORIG_PINS

/* The inner list is a second one, since a macro is not expanded within itself; of a pair, the later line looks. */
#define GPIORIG_CHECK_PAIR(number, name, pin, number2, name2, pin2)                            \
    _Static_assert((number) >= (number2) || (pin) == GPIORIG_NO_PIN || (pin) != (pin2),        \
                   "gpiorig: " name " and " name2 " are on the same pin");
#define GPIORIG_CHECK_LINE(number, name, pin, ...) GPIORIG_OTHER_LINES(GPIORIG_CHECK_PAIR, number, name, pin)
GPIORIG_LINES(GPIORIG_CHECK_LINE, 0)

#ifndef GPIORIG_ANY_PIN
#define GPIORIG_CHECK_RESERVED(reserved, use, name, pin) \
    _Static_assert((pin) != (reserved), "gpiorig: " name " is on " use);
#define GPIORIG_CHECK_FREE(number, name, pin, ...) GPIORIG_PORT_RESERVED(GPIORIG_CHECK_RESERVED, name, pin)
GPIORIG_LINES(GPIORIG_CHECK_FREE, 0)
#endif

#endif
#endif
