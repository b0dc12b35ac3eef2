/** The mask at run time: which events get out. */
#include "gpiorig/probe.h"

#ifdef GPIORIG_OFF
typedef int gpiorig_is_off; /* ISO C wants a declaration in every file */
#else

volatile uint8_t gpiorig_mask[16]; /* all zero until gpiorig_init() */

void gpiorig_enable(uint8_t code, bool on)
{
    volatile uint8_t *byte = &gpiorig_mask[(code & 127u) >> 3];
    uint8_t bit = (uint8_t)(1u << (code & 7u));
    unsigned state = gpiorig_port_lock();

    *byte = (uint8_t)(on ? *byte | bit : *byte & ~bit);
    gpiorig_port_unlock(state);
}

void gpiorig_enable_all(bool on)
{
    for (unsigned byte = 0; byte < sizeof gpiorig_mask; byte++) {
        gpiorig_mask[byte] = on ? 0xffu : 0u;
    }
}

void gpiorig_enable_group(enum gpiorig_group group, bool on)
{
    for (uint8_t code = 1; code < GPIORIG_CODES; code++) {
        if (gpiorig_groups[code] == group) {
            gpiorig_enable(code, on);
        }
    }
}

#endif
