/*
 * The actors that are ready are in one list per priority; the one that runs, or ran last, is the first of its list.
 */
#include "schedule.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "alarm.h"
#include "board.h"
#include "thread_core.h"
#include "timer.h"
#include "uart.h"
#include "uart_port.h"

/** No actor: it runs on main's stack while no other is ready. Before kernel_run it is main itself, never pre-empted. */
static struct actor idle = { .id = ACTOR_NONE, .priority = 0 };

static struct actor *ready[PRIORITIES + 1u]; /* the first of each priority, from 1 on */
static struct actor *current = &idle;
static uint32_t switches;

static void slice_expired(struct alarm *alarm);

/** Set while the current actor has peers, and not longer than its slice lasts. */
static struct alarm slice = { .expired = slice_expired };
static uint32_t slice_began_us;

/* Lists. Interrupts are masked. */

static void put_last(struct actor *actor)
{
    struct actor **link = &ready[actor->priority];

    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = actor;
    actor->next = NULL;
}

static void take_out(struct actor *actor)
{
    struct actor **link = &ready[actor->priority];

    while (*link != actor) {
        link = &(*link)->next;
    }
    *link = actor->next;
    actor->next = NULL;
}

static struct actor *most_urgent(void)
{
    for (unsigned priority = 1; priority <= PRIORITIES; priority++) {
        if (ready[priority] != NULL) {
            return ready[priority];
        }
    }
    return &idle;
}

/* Slices. Interrupts are masked. */

/** Its time is up: it goes after its peers. */
static void end_slice(void)
{
    current->slice_left_us = SLICE_US;
    if (current->is_ready) {
        take_out(current);
        put_last(current);
    }
}

static void slice_expired(struct alarm *alarm)
{
    irq_state state = irq_lock();

    (void)alarm;
    end_slice();
    irq_unlock(state);
    thread_request_switch();
}

static void start_slice(uint32_t now_us)
{
    slice_began_us = now_us;
    alarm_set(&slice, now_us + current->slice_left_us);
}

/** The current actor gives way; what is left of its slice is its own. */
static void charge_slice(uint32_t now_us)
{
    uint32_t ran_us = now_us - slice_began_us;

    if (ran_us < current->slice_left_us) {
        current->slice_left_us -= (uint16_t)ran_us;
    } else {
        end_slice();
    }
}

/** Chooses what continues when the current actor has had, or the next one gets, a slice. */
static void choose_with_slices(void)
{
    uint32_t now_us = timer_now();

    if (slice.set) {
        charge_slice(now_us);
    }
    uart_port_poll();
    current = most_urgent();
    if (current->next != NULL) {
        start_slice(now_us);
    } else {
        alarm_cancel(&slice);
    }
    uart_port_poll();
}

/* The switch */

static void check_stack(const struct actor *actor, const void *stack_pointer)
{
    if (actor != &idle &&
        (actor->stack[0] != STACK_UNTOUCHED || (const char *)stack_pointer < (const char *)actor->stack)) {
        fault("stack", actor->name);
    }
}

static void tell_of_switch(const struct actor *from, const struct actor *to)
{
    if (from == &idle) {
        GPIORIG_EXIT(SCHED_SLEEP);
    }
    GPIORIG_EVENT_ID(SCHED_SWITCH, to->id);
    if (to == &idle) {
        GPIORIG_ENTER(SCHED_SLEEP);
    }
}

void *kernel_switch(void *stack_pointer)
{
    irq_state state = irq_lock();
    struct actor *from = current, *next = most_urgent();

    check_stack(from, stack_pointer);
    from->stack_pointer = stack_pointer;
    if (slice.set || next->next != NULL) {
        choose_with_slices();
    } else {
        current = next;
    }
    irq_unlock(state);
    if (current != from) {
        switches++;
        tell_of_switch(from, current);
    }
    return current->stack_pointer;
}

/* What actors ask for. Interrupts are masked. */

void schedule_wake(struct actor *actor)
{
    if (actor->is_ready || !actor->is_started) {
        return;
    }
    actor->is_ready = true;
    actor->slice_left_us = SLICE_US;
    put_last(actor);
    if (actor->priority < current->priority) {
        thread_request_switch();
    } else if (current->next != NULL && !slice.set) {
        start_slice(timer_now());
    }
}

void schedule_block(struct actor *self)
{
    if (self->is_ready) {
        self->is_ready = false;
        take_out(self);
    }
    thread_request_switch();
}

void schedule_move(struct actor *actor, uint8_t priority)
{
    if (!actor->is_ready) {
        actor->priority = priority;
        return;
    }
    take_out(actor);
    actor->priority = priority;
    put_last(actor);
    if (current->priority > 0) {
        thread_request_switch();
    }
}

uint32_t schedule_switches(void)
{
    return switches;
}

static void sleep_for_ever(void)
{
    irq_state state = irq_lock();

    idle.priority = PRIORITIES + 1u;
    GPIORIG_ENTER(SCHED_SLEEP);
    thread_request_switch();
    for (;;) {
#if GPIORIG_LOG
        irq_unlock(state);
        while (kernel_idle_work()) {
        }
        state = irq_lock();
#endif
        state = irq_sleep(state);
    }
}

void schedule_run(void)
{
    thread_start(sleep_for_ever);
}
