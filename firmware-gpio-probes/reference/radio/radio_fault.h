/** What should not happen to a radio: counted, for radio_errors. */
#ifndef RADIO_FAULT_H
#define RADIO_FAULT_H

#include <stdbool.h>

void radio_fault(void);

/** Counts one unless `good`. */
static inline void expect(bool good)
{
    if (!good) {
        radio_fault();
    }
}

#endif
