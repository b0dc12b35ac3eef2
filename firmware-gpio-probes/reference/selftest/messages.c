/* Order, signals and queues. */
#include "alarm.h"
#include "board_limits.h"
#include "checks.h"
#include "timer.h"
#include "trace.h"

static void post(struct actor *to, char letter)
{
    actor_post(to, (struct message){ .type = (uint16_t)letter });
}

/** A message is a letter, signals are a digit. */
static void trace_message(const struct message *message)
{
    trace(message->type == MESSAGE_SIGNALS ? (char)('0' + message->value) : (char)message->type);
}

static void trace_and_end(const struct message *message)
{
    trace_message(message);
    trace_end();
}

/* A less urgent actor posts to a more urgent one, twice over. */

static void post_on(const struct message *message)
{
    trace_message(message);
    post(&mac_actor, 'm');
    trace('U');
}

void check_order(void)
{
    trace_begin("order");
    udp_does = post_on;
    mac_does = trace_and_end;
    trace('(');
    post(&udp_actor, 'u');
    trace(')');
}

/* An urgent actor hands on to a less urgent one. */

static void pass_on(const struct message *message)
{
    trace_message(message);
    trace(actor_pass(&udp_actor, (struct message){ .type = 'u' }) ? 'M' : '!');
}

void check_pass(void)
{
    trace_begin("pass");
    mac_does = pass_on;
    udp_does = trace_and_end;
    post(&mac_actor, 'm');
}

/* Two messages and three signals, two of them the same, while the receiver cannot run. */

static void post_and_signal(const struct message *message)
{
    (void)message;
    post(&udp_actor, 'a');
    post(&udp_actor, 'b');
    actor_signal(&udp_actor, SIGNAL(0));
    actor_signal(&udp_actor, SIGNAL(2));
    actor_signal(&udp_actor, SIGNAL(0));
    actor_signal(&udp_actor, SIGNAL(1));
    actor_unsignal(&udp_actor, SIGNAL(1));
    trace_end();
}

void check_signals(void)
{
    trace_begin("signals");
    mac_does = post_and_signal;
    udp_does = trace_message;
    post(&mac_actor, 'm');
}

/* Six messages into a queue of four; the ring of places has turned by then. */

#define QUEUE 4u

static struct kernel_counts before;

static void overflow(const struct message *message)
{
    (void)message;
    for (char letter = 'a'; letter < 'g'; letter++) {
        trace(actor_post(&udp_actor, (struct message){ .type = (uint16_t)letter }) ? '+' : '-');
    }
}

static void trace_and_count(const struct message *message)
{
    struct kernel_counts counts = kernel_counts();

    trace_message(message);
    if (message->type == 'd') {
        trace_number("dropped", counts.dropped - before.dropped);
        trace_number("longest", counts.longest);
        kernel_set_queue_length(QUEUE_LENGTH_MAX);
        trace_end();
    }
}

void check_queue(void)
{
    trace_begin("queue");
    before = kernel_counts();
    kernel_set_queue_length(QUEUE);
    mac_does = overflow;
    udp_does = trace_and_count;
    actor_signal(&mac_actor, SIGNAL(0));
}

/* An alarm gives a signal and is cancelled before the actor gets it; another one is not. */

static struct alarm cancelled = { .to = &udp_actor, .signals = SIGNAL(0) };
static struct alarm kept = { .to = &udp_actor, .signals = SIGNAL(1) };

static void let_them_expire(const struct message *message)
{
    uint32_t now = timer_now();

    (void)message;
    alarm_set(&cancelled, now + 1000u);
    alarm_set(&kept, now + 1000u);
    timer_spin(3000);
    trace(cancelled.set || kept.set ? '!' : 'x');
    alarm_cancel(&cancelled);
}

void check_take_back(void)
{
    trace_begin("take_back");
    mac_does = let_them_expire;
    udp_does = trace_and_end;
    actor_signal(&mac_actor, SIGNAL(0));
}
