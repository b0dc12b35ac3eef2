/** TelosB: the clock after reset. No console. */
#include "arch.h"

void board_init(void)
{
}

void board_idle(void)
{
}
