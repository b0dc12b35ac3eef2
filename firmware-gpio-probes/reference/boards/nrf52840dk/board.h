/** The nRF52840-DK, as the stack sees it. */
#ifndef BOARD_H
#define BOARD_H

#include "cortex_m.h"
#include "nrf52840.h"

#define BOARD_UID_WORDS 2u

/** 32 bits of the chip's device identifier. */
static inline uint32_t board_uid(unsigned word)
{
    return FICR_DEVICEID(word);
}

#endif
