/* Stand-in for bsp/boards/debugpins.h: the pins that the stack moves. */
#ifndef DEBUGPINS_H
#define DEBUGPINS_H

void debugpins_init(void);
void debugpins_frame_toggle(void);
void debugpins_slot_toggle(void);
void debugpins_fsm_toggle(void);
void debugpins_fsm_clr(void);
void debugpins_fsm_set(void);
void debugpins_task_clr(void);
void debugpins_task_set(void);

#endif
