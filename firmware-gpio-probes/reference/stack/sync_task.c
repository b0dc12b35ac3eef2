#include "sync_task.h"

#include "mac.h"
#include "settings.h"

#define TOP_PRIORITY 1u
#define TAKE SIGNAL(0)

static struct {
    struct slot_clock *clock;
    struct sync_packet *packet;
    uint16_t done;
} work;

bool sync_task_is_on(void)
{
    return settings.sync_task != 0 && settings.layer_priority != TOP_PRIORITY;
}

/* Under kernel/threads the task pre-empts mac_actor here and is done before this returns: nothing else uses the clock. */
void sync_task_take(struct slot_clock *clock, struct sync_packet *packet, uint16_t done)
{
    work.clock = clock;
    work.packet = packet;
    work.done = done;
    actor_signal(&sync_actor, TAKE);
}

static void handle(const struct message *message)
{
    (void)message;
    work.packet->agrees = slot_clock_hear(work.clock, work.packet->frame, work.packet->start_us);
    actor_signal(&mac_actor, work.done);
}

SIGNALLED_ACTOR(sync_actor, ACTOR_SYNC, handle, TOP_PRIORITY, STACK_BYTES(456u));
