/** Which actor has the processor: the most urgent that is ready; equals take turns. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "kernel.h"

#define STACK_UNTOUCHED 0x57AC57ACu /* words of a stack that were not used yet; the lowest is its guard */

/* With interrupts masked: a switch comes when they are no longer. */

/** The actor has something to do. */
void schedule_wake(struct actor *actor);

/** The actor that runs has nothing to do. */
void schedule_block(struct actor *self);

void schedule_move(struct actor *actor, uint8_t priority);

uint32_t schedule_switches(void);

_Noreturn void schedule_run(void);

#endif
