/* RIOT drivers/cc2420/include/cc2420_internal.h, compared with commit 62d8b9a2. */
#ifndef RIOT_CC2420_INTERNAL_H
#define RIOT_CC2420_INTERNAL_H

#include "cc2420.h"

uint8_t cc2420_strobe(const cc2420_t *dev, const uint8_t command);
void cc2420_fifo_write(const cc2420_t *dev, uint8_t *data, const size_t len);

#endif
