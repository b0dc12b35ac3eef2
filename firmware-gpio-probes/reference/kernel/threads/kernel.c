/*
 * Actors as threads. Interrupts are masked while a queue changes and its actor is put among the ready: a few dozen
 * instructions, and at most one walk of the actors of a priority, or of the alarms.
 */
#include "kernel.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "board.h"
#include "schedule.h"
#include "thread_core.h"

static uint16_t length_max = QUEUE_LENGTH_MAX;
static struct kernel_counts counts;

/** The place in a queue after this one. */
static struct message *next_place(const struct actor *actor, struct message *place)
{
    return place + 1 < actor->queue_end ? place + 1 : actor->queue;
}

bool actor_post(struct actor *to, struct message message)
{
    irq_state state = irq_lock();
    bool fits = to->length < length_max;

    if (fits) {
        *to->put = message;
        to->put = next_place(to, to->put);
        to->length++;
        counts.longest = to->length > counts.longest ? to->length : counts.longest;
        GPIORIG_EVENT_ID(QUEUE_POST, to->id);
        schedule_wake(to);
    } else {
        counts.dropped++;
        GPIORIG_EVENT_ID(QUEUE_DROP, to->id);
    }
    irq_unlock(state);
    return fits;
}

bool actor_pass(struct actor *to, struct message message)
{
    return actor_post(to, message);
}

void actor_signal(struct actor *to, uint16_t bits)
{
    irq_state state = irq_lock();

    to->signals |= bits;
    schedule_wake(to);
    irq_unlock(state);
}

void actor_unsignal(struct actor *to, uint16_t bits)
{
    irq_state state = irq_lock();

    to->signals &= (uint16_t)~bits;
    irq_unlock(state);
}

void actor_set_priority(struct actor *actor, uint8_t priority)
{
    irq_state state = irq_lock();

    schedule_move(actor, priority);
    irq_unlock(state);
}

/** Waits for a message and takes it. */
static struct message take_message(struct actor *self)
{
    irq_state state = irq_lock();
    struct message message = { .type = MESSAGE_SIGNALS };

    while (self->signals == 0 && self->length == 0) {
        schedule_block(self);
        irq_unlock(state); /* the switch comes here */
        state = irq_lock();
    }
    if (self->signals != 0) {
        message.value = self->signals;
        self->signals = 0;
    } else {
        message = *self->take;
        self->take = next_place(self, self->take);
        self->length--;
        GPIORIG_EVENT_ID(QUEUE_FETCH, self->id);
    }
    irq_unlock(state);
    return message;
}

static void run(void *argument)
{
    struct actor *self = argument;

    for (;;) {
        struct message message = take_message(self);

        GPIORIG_ENTER_ID(TASK_RUN, self->id);
        self->handler(&message);
        GPIORIG_EXIT_ID(TASK_RUN, self->id);
    }
}

void actor_start(struct actor *actor)
{
    irq_state state;

    for (uint16_t word = 0; word < actor->stack_bytes / sizeof *actor->stack; word++) {
        actor->stack[word] = STACK_UNTOUCHED;
    }
    actor->stack_pointer = thread_prepare((char *)actor->stack + actor->stack_bytes, run, actor);
    state = irq_lock();
    actor->is_started = true;
    schedule_wake(actor);
    irq_unlock(state);
}

uint16_t actor_stack_left(const struct actor *actor)
{
    uint16_t word = 0;

    while (word < actor->stack_bytes / sizeof *actor->stack && actor->stack[word] == STACK_UNTOUCHED) {
        word++;
    }
    return (uint16_t)(word * sizeof *actor->stack);
}

void kernel_set_queue_length(uint16_t messages)
{
    length_max = messages;
}

struct kernel_counts kernel_counts(void)
{
    counts.switches = schedule_switches();
    return counts;
}

void kernel_run(void)
{
    schedule_run();
}
