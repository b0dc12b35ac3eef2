/* Stand-in for bsp/boards/iot-lab_M3/debugpins.c, which does nothing. */
#include "debugpins.h"

void debugpins_init(void)
{
}

void debugpins_frame_toggle(void)
{
}

void debugpins_slot_toggle(void)
{
}

void debugpins_fsm_toggle(void)
{
}

void debugpins_fsm_clr(void)
{
}

void debugpins_fsm_set(void)
{
}

void debugpins_task_clr(void)
{
}

void debugpins_task_set(void)
{
}
