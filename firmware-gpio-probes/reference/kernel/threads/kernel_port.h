/** An actor that is a thread: with a stack and a queue of its own. */
#ifndef KERNEL_PORT_H
#define KERNEL_PORT_H

#include "board_limits.h"
#include "thread_switch.h"

struct actor {
    actor_handler *handler;
    const char *name;
    void *stack_pointer; /* while it does not run */
    uint32_t *stack;     /* its lowest word is the guard */
    struct actor *next;  /* after it, of those of its priority that are ready */
    struct message *queue, *queue_end;
    struct message *put, *take; /* where in it */
    uint16_t length;            /* messages in it */
    uint16_t signals;
    uint16_t slice_left_us;
    uint16_t stack_bytes;
    uint8_t id;
    uint8_t priority;
    bool is_started;
    bool is_ready;
};

/** The context of an actor that waits lies on its stack too. */
#define ACTOR_STACK_BYTES(stack_bytes) (((stack_bytes) + THREAD_CONTEXT_BYTES + 7u) / 8u * 8u)

#define THREAD(actor_name, actor_number, its_handler, its_priority, its_stack_bytes, its_queue) \
    static struct message actor_name##_queue[(its_queue)];                                      \
    static _Alignas(8) uint32_t actor_name##_stack[ACTOR_STACK_BYTES(its_stack_bytes) / 4u];    \
    struct actor actor_name = {                                                                 \
        .handler = (its_handler),                                                               \
        .name = #actor_name,                                                                    \
        .stack = actor_name##_stack,                                                            \
        .stack_bytes = sizeof actor_name##_stack,                                               \
        .queue = actor_name##_queue,                                                            \
        .queue_end = actor_name##_queue + (its_queue),                                          \
        .put = actor_name##_queue,                                                              \
        .take = actor_name##_queue,                                                             \
        .id = (actor_number),                                                                   \
        .priority = (its_priority),                                                             \
    }

#define ACTOR(actor_name, actor_number, its_handler, its_priority, its_stack_bytes) \
    THREAD(actor_name, actor_number, its_handler, its_priority, its_stack_bytes, QUEUE_LENGTH_MAX)

/** An actor that gets signals and no messages. */
#define SIGNALLED_ACTOR(actor_name, actor_number, its_handler, its_priority, its_stack_bytes) \
    THREAD(actor_name, actor_number, its_handler, its_priority, its_stack_bytes, 1)

#endif
