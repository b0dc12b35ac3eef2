/**
 * The self-test of kernels and alarms, an image of its own: make BOARD=iotlab-m3 KERNEL=threads PROGRAM=selftest. Each check
 * prints in one line what happened; tests/firmware/test_kernels.py knows what should have, on which kernel.
 */
#include "gpiorig/probe.h"

#include "checks.h"
#include "clock.h"
#include "line.h"
#include "probes.h"
#include "timer.h"
#include "trace.h"
#include "uart.h"

/** From here on without events: they would be what takes the time. */
static void without_events(void)
{
    struct line line = { .length = 0 };

    line_text(&line, "events");
    line_pair(&line, "probes", gpiorig_frames());
    line_send(&line);
    gpiorig_enable_all(false);
    trace_end();
}

static void (*const checks[])(void) = {
    check_order, check_pass, check_signals, check_queue, check_take_back, check_alarms, without_events, check_long_alarms,
    check_alone, check_slices, check_slices_interrupted, check_priority, check_own_priority, check_costs, check_stack,
};

static unsigned next;

static void director(const struct message *message)
{
    (void)message;
    trace_say(); /* of the check before */
    if (next < sizeof checks / sizeof checks[0]) {
        checks[next++]();
    } else {
        struct line line = { .length = 0 };

        line_text(&line, "done");
        line_send(&line);
    }
}

ACTOR(console_actor, ACTOR_CONSOLE, director, 8, 600);

int main(void)
{
    clock_init();
    timer_init();
    uart_init(&console_actor, SIGNAL(15));
    probes_init();
    gpiorig_enable_all(true);
    actor_start(&mac_actor);
    actor_start(&udp_actor);
    actor_start(&app_actor);
    actor_start(&worker_a_actor);
    actor_start(&worker_b_actor);
    actor_start(&console_actor);
    actor_post(&console_actor, (struct message){ .type = NEXT });
    kernel_run();
}
