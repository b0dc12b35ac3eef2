/**
 * What the firmware stands on: actors with queues, and alarms (alarm.h). Two kernels implement it, KERNEL chooses one:
 *     kernel/events/   every actor runs to completion on one stack, in the order of what was posted
 *     kernel/threads/  every actor is a thread with a stack and a priority; a more urgent one pre-empts at once
 *
 * An actor does one thing at a time: its handler is called with one message after the other, signals before messages.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpiorig/options.h"

/** What an actor is called with. Types are the actor's own; 0 is taken. */
struct message {
    uint16_t type;  /* MESSAGE_SIGNALS, or one of the actor's own */
    uint16_t value; /* of MESSAGE_SIGNALS: the bits */
    void *content;
};

#define MESSAGE_SIGNALS 0u
#define SIGNAL(bit) ((uint16_t)(1u << (bit)))

typedef void actor_handler(const struct message *message);

/** Who there is; the number is the id of the events sched.switch, task.run and queue.*. */
enum actor_id {
    ACTOR_NONE, /* no actor: the processor sleeps */
    ACTOR_MAC,  /* and the radio's driver */
    ACTOR_SIXLOWPAN,
    ACTOR_IPV6,
    ACTOR_UDP,
    ACTOR_APP,
    ACTOR_WORKER_A, /* processing tasks */
    ACTOR_WORKER_B,
    ACTOR_CONSOLE,
    ACTOR_SYNC, /* takes synchronisation packets of a TDMA MAC */
    ACTORS,
};

/* Priorities: 1 is the most urgent. Actors of the same priority take turns, a slice each. */
#define PRIORITIES 8u
#define SLICE_US 1000u

/*
 * ACTOR(name, id, handler, priority, stack_bytes); defines `struct actor name`, once, where its handler is. The stack is
 * kernel/threads' only: room for the handler and all it calls; interrupts have a stack of their own.
 */
#include "kernel_port.h" /* each kernel's own */

/** Lets the actor run. Before kernel_run; until then it is sent nothing but signals. */
void actor_start(struct actor *actor);

/** From any context, interrupts included. False: the queue is full; the message is counted as dropped. */
bool actor_post(struct actor *to, struct message message);

/** From any context: bits that stay set until the actor gets them, all at once. Never lost, never counted twice. */
void actor_signal(struct actor *to, uint16_t bits);

/** From any context: takes bits back that the actor has not got yet. */
void actor_unsignal(struct actor *to, uint16_t bits);

/**
 * From an actor: hands something on to the next layer. kernel/threads posts it; kernel/events calls the handler at once, as
 * a function. False: it was not taken, and is still the caller's.
 */
bool actor_pass(struct actor *to, struct message message);

/** 1 to PRIORITIES; kernel/events has none and takes any. */
void actor_set_priority(struct actor *actor, uint8_t priority);

/** Bytes of its stack that it has never used, all of them before it was started; 0 in kernel/events. */
uint16_t actor_stack_left(const struct actor *actor);

/** Messages each queue holds: 1 to QUEUE_LENGTH_MAX (board_limits.h). Only while nothing is under way. */
void kernel_set_queue_length(uint16_t messages);

struct kernel_counts {
    uint32_t dropped;  /* messages, queue full */
    uint16_t longest;  /* queue, in messages */
    uint32_t switches; /* of the processor to another actor, or to sleep; 0 in kernel/events */
};

struct kernel_counts kernel_counts(void);

#if GPIORIG_LOG
/**
 * What stands on the kernel defines it (probes.c): work that is done before the processor sleeps. True: call again first.
 */
bool kernel_idle_work(void);
#endif

/** Runs the actors, and sleeps while there is nothing to do. */
_Noreturn void kernel_run(void);

#endif
