/* Running actors and their times: slices among equals, priorities at run time, what a switch costs, a stack that overflows. */
#include "gpiorig/probe.h"

#include "alarm.h"
#include "board.h"
#include "checks.h"
#include "timer.h"
#include "trace.h"

#define WORK_US 5000u

static volatile uint32_t turns;
static uint32_t turns_per_ms;
static uint8_t finished;
static char last; /* who of the workers was seen last */

/** Burns processor time, not wall time; notes it down whenever the worker runs again after the other one. */
static void burn(char letter, uint32_t time_us)
{
    for (uint32_t left = turns_per_ms * (time_us / 100u) / 10u; left > 0; left--) {
        turns++;
        if (last != letter) {
            irq_state state = irq_lock();

            last = letter;
            trace(letter);
            irq_unlock(state);
        }
    }
}

static struct alarm interrupter;

static void finish(void)
{
    if (++finished == 2) {
        alarm_cancel(&interrupter);
        trace_end();
    }
}

static void burn_a(const struct message *message)
{
    (void)message;
    burn('A', WORK_US);
    finish();
}

static void burn_b(const struct message *message)
{
    (void)message;
    burn('B', WORK_US);
    finish();
}

static void start_both(const struct message *message)
{
    (void)message;
    actor_signal(&worker_a_actor, SIGNAL(0));
    actor_signal(&worker_b_actor, SIGNAL(0));
}

static void begin(const char *name)
{
    trace_begin(name);
    finished = 0;
    last = 0;
    mac_does = start_both;
    worker_a_does = burn_a;
    worker_b_does = burn_b;
}

/* One alone: nothing interrupts it. It calibrates, too. */

static struct kernel_counts before;

static void calibrate(const struct message *message)
{
    uint32_t start;

    (void)message;
    turns_per_ms = 1000;
    start = timer_now();
    burn('A', WORK_US);
    turns_per_ms = (uint32_t)(turns_per_ms * WORK_US / (timer_now() - start));
    burn('A', WORK_US);
    trace_number("switches", kernel_counts().switches - before.switches);
    trace_end();
}

void check_alone(void)
{
    begin("alone");
    worker_a_does = calibrate;
    before = kernel_counts();
    actor_signal(&worker_a_actor, SIGNAL(0));
}

void check_slices(void)
{
    begin("slices");
    actor_signal(&mac_actor, SIGNAL(0));
}

/* An urgent actor runs every 700 us: that must not renew the slice of whom it interrupts. */

static void interrupt_again(struct alarm *alarm)
{
    actor_signal(&mac_actor, SIGNAL(1));
    alarm_set(alarm, alarm->deadline_us + 700u);
}

static struct alarm interrupter = { .expired = interrupt_again };

static void start_or_interrupt(const struct message *message)
{
    if ((message->value & SIGNAL(0)) != 0) {
        start_both(message);
    }
}

void check_slices_interrupted(void)
{
    begin("slices_interrupted");
    mac_does = start_or_interrupt;
    alarm_set(&interrupter, timer_now() + 700u);
    actor_signal(&mac_actor, SIGNAL(0));
}

/* B is made more urgent before either runs. */

static void start_and_prefer_b(const struct message *message)
{
    start_both(message);
    actor_set_priority(&worker_b_actor, 3);
}

void check_priority(void)
{
    begin("priority");
    mac_does = start_and_prefer_b;
    actor_signal(&mac_actor, SIGNAL(0));
}

/* A makes itself less urgent than B while it runs. */

static void give_way(const struct message *message)
{
    trace('a');
    actor_set_priority(&worker_a_actor, 7);
    burn_a(message);
}

void check_own_priority(void)
{
    begin("own_priority");
    actor_set_priority(&worker_b_actor, 6);
    worker_a_does = give_way;
    actor_signal(&mac_actor, SIGNAL(0));
}

/* What things cost. */

#define ROUNDS 1000u

static uint32_t rounds;
static uint32_t began_us;

static void nothing(const struct message *message)
{
    (void)message;
}

/** Posts to itself: a dispatch without a switch. Then the least urgent one signals the most urgent one, over and over. */
static void dispatch(const struct message *message)
{
    (void)message;
    if (++rounds < ROUNDS) {
        actor_post(&app_actor, (struct message){ .type = 1 });
    } else {
        trace_number("dispatch_ns", (timer_now() - began_us) * 1000u / ROUNDS);
        began_us = timer_now();
        for (rounds = 0; rounds < ROUNDS; rounds++) {
            actor_signal(&mac_actor, SIGNAL(0));
        }
        trace_number("signal_and_back_ns", (timer_now() - began_us) * 1000u / ROUNDS);
        trace_end();
    }
}

void check_costs(void)
{
    trace_begin("costs");
    mac_does = nothing;
    app_does = dispatch;
    rounds = 0;
    began_us = timer_now();
    actor_post(&app_actor, (struct message){ .type = 1 });
}

/* The last check: nothing comes after it in kernel/threads. */

#define TOO_MUCH 440u /* of the 400 bytes asked for, and the context */

static void overflow(const struct message *message)
{
    volatile uint8_t room[TOO_MUCH];

    for (uint16_t i = 0; i < TOO_MUCH; i++) {
        room[i] = (uint8_t)message->value;
    }
    actor_signal(&mac_actor, room[0]);
    trace('!');
    trace_end();
}

void check_stack(void)
{
    trace_begin("stack");
    trace_number("mac_left", actor_stack_left(&mac_actor));
    trace_number("console_left", actor_stack_left(&console_actor));
    trace_say();
    trace_begin("overflow");
    app_does = overflow;
    mac_does = nothing;
    actor_signal(&app_actor, SIGNAL(0));
}
