/* Run to completion: one queue for all, in the order of posting. Signals go first, as they are bits that do not wait. */
#include "kernel.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "board.h"
#include "board_limits.h"

static struct entry {
    struct actor *to;
    struct message message;
} queue[QUEUE_LENGTH_MAX], *put = queue, *take = queue;
static uint16_t length, length_max = QUEUE_LENGTH_MAX;

static struct actor *signalled, **signalled_end = &signalled;
static struct kernel_counts counts;

void actor_start(struct actor *actor)
{
    (void)actor;
}

void actor_set_priority(struct actor *actor, uint8_t priority)
{
    (void)actor;
    (void)priority;
}

uint16_t actor_stack_left(const struct actor *actor)
{
    (void)actor;
    return 0;
}

static struct entry *next_place(struct entry *place)
{
    return place + 1 < queue + QUEUE_LENGTH_MAX ? place + 1 : queue;
}

bool actor_post(struct actor *to, struct message message)
{
    irq_state state = irq_lock();
    bool fits = length < length_max;

    if (fits) {
        put->to = to;
        put->message = message;
        put = next_place(put);
        length++;
        counts.longest = length > counts.longest ? length : counts.longest;
        GPIORIG_EVENT_ID(QUEUE_POST, to->id);
    } else {
        counts.dropped++;
        GPIORIG_EVENT_ID(QUEUE_DROP, to->id);
    }
    irq_unlock(state);
    return fits;
}

void actor_signal(struct actor *to, uint16_t bits)
{
    irq_state state = irq_lock();

    to->signals |= bits;
    if (!to->is_signalled) {
        to->is_signalled = true;
        to->next_signalled = NULL;
        *signalled_end = to;
        signalled_end = &to->next_signalled;
    }
    irq_unlock(state);
}

void actor_unsignal(struct actor *to, uint16_t bits)
{
    irq_state state = irq_lock();

    to->signals &= (uint16_t)~bits;
    irq_unlock(state);
}

bool actor_pass(struct actor *to, struct message message)
{
    to->handler(&message);
    return true;
}

void kernel_set_queue_length(uint16_t messages)
{
    length_max = messages;
}

struct kernel_counts kernel_counts(void)
{
    return counts;
}

/** Takes an actor from the list of the signalled ones; its message has no bits when all were taken back. */
static struct actor *take_signals(struct message *message)
{
    struct actor *to = signalled;

    signalled = to->next_signalled;
    if (signalled == NULL) {
        signalled_end = &signalled;
    }
    to->is_signalled = false;
    *message = (struct message){ .type = MESSAGE_SIGNALS, .value = to->signals };
    to->signals = 0;
    return to;
}

static struct actor *take_message(struct message *message)
{
    struct actor *to = take->to;

    *message = take->message;
    take = next_place(take);
    length--;
    return to;
}

/** Sleeps until an interrupt, unless there is a line of the log to send meanwhile. */
static irq_state sleep_or_send_log(irq_state state)
{
#if GPIORIG_LOG
    bool sent;

    irq_unlock(state);
    sent = kernel_idle_work();
    state = irq_lock();
    if (sent || signalled != NULL || length != 0) {
        return state;
    }
#endif
    return irq_sleep(state);
}

/** Sleeps until there is something to do. */
static struct actor *wait_for_work(struct message *message)
{
    irq_state state = irq_lock();
    struct actor *to;

    if (signalled == NULL && length == 0) {
        GPIORIG_ENTER(SCHED_SLEEP);
        do {
            state = sleep_or_send_log(state);
        } while (signalled == NULL && length == 0);
        GPIORIG_EXIT(SCHED_SLEEP);
    }
    to = signalled != NULL ? take_signals(message) : take_message(message);
    irq_unlock(state);
    return to;
}

void kernel_run(void)
{
    for (;;) {
        struct message message;
        struct actor *actor = wait_for_work(&message);

        if (message.type != MESSAGE_SIGNALS) {
            GPIORIG_EVENT_ID(QUEUE_FETCH, actor->id);
        } else if (message.value == 0) {
            continue;
        }
        GPIORIG_ENTER_ID(TASK_RUN, actor->id);
        actor->handler(&message);
        GPIORIG_EXIT_ID(TASK_RUN, actor->id);
    }
}
