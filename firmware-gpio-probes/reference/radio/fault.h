/** What should not happen to a radio: counted, for radio_errors. */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>

void fault(void);

/** Counts one unless `good`. */
static inline void expect(bool good)
{
    if (!good) {
        fault();
    }
}

#endif
