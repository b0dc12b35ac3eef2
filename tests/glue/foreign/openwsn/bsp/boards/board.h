/* Stand-in for bsp/boards/board.h, with what it takes from toolchain_defs.h. */
#ifndef BOARD_H
#define BOARD_H

#include "board_info.h"

#ifndef bool
#define bool uint8_t
#endif

typedef enum {
    DO_NOT_KICK_SCHEDULER = 0,
    KICK_SCHEDULER = 1,
} kick_scheduler_t;

void board_init(void);
void board_sleep(void);
void board_reset(void);

#endif
