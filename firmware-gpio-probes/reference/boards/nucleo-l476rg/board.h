/** The Nucleo-L476RG, as the stack sees it. */
#ifndef BOARD_H
#define BOARD_H

#include "cortex_m.h"
#include "stm32l476.h"

#define BOARD_UID_WORDS 3u

/** 32 bits of the chip's unique number. */
static inline uint32_t board_uid(unsigned word)
{
    return UID_WORD(word);
}

#endif
