/** An actor that runs to completion: no stack, no queue of its own. */
#ifndef KERNEL_PORT_H
#define KERNEL_PORT_H

struct actor {
    actor_handler *handler;
    struct actor *next_signalled;
    uint16_t signals;
    uint8_t id;
    bool is_signalled; /* in the list, whether or not bits are left */
};

#define ACTOR(name, actor_number, its_handler, its_priority, stack_bytes) \
    struct actor name = { .handler = (its_handler), .id = (actor_number) }
#define SIGNALLED_ACTOR ACTOR

#endif
