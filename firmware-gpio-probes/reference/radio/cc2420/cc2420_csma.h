/** Unslotted CSMA-CA (IEEE 802.15.4-2006, 7.5.1.4): how long to back off before each look at the channel. */
#ifndef CC2420_CSMA_H
#define CC2420_CSMA_H

#include <stdbool.h>
#include <stdint.h>

#include "radio.h"

void csma_configure(const struct radio_settings *settings);

/** The first backoff of a frame, in microseconds. */
uint32_t csma_start(void);

/** The next one, after the channel was found busy; false when that was the last try. */
bool csma_retry(uint32_t *backoff_us);

#endif
