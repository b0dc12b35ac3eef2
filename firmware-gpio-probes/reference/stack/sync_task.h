/**
 * The task that takes synchronisation packets of mac_tdma, which the node's frames follow (`set sync_task`): the most urgent of
 * all, as in Rodriguez-Zurrunero et al., Electronics 8 (2019), 3.2. Without it the MAC's own task takes them.
 */
#ifndef SYNC_TASK_H
#define SYNC_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "slot_clock.h"

struct sync_packet {
    uint32_t frame, start_us; /* the frame with this number began then, on this node's timer */
    uint8_t level;            /* hops of its sender from the gateway */
    bool agrees;              /* with the clock; once it was taken */
};

extern struct actor sync_actor;

/** False where no task would be more urgent than the MAC's. */
bool sync_task_is_on(void);

/** Hands a packet to the task, which sets the clock and then gives mac_actor the signal `done`. From mac_actor. */
void sync_task_take(struct slot_clock *clock, struct sync_packet *packet, uint16_t done);

#endif
