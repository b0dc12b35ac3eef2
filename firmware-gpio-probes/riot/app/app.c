#include "app.h"

#include "gpiorig/probe.h"

#include "settings.h"
#include "thread.h"
#include "thread_flags.h"
#include "ztimer.h"

#define FLAG_START 0x1u

struct counts counts;
volatile bool app_is_stopped;

static thread_t *initiator;

static struct {
    volatile bool active;
    uint32_t packets, since_us;
} run;

void packet_fill(uint8_t *payload, uint16_t length, uint8_t kind, uint16_t sequence)
{
    for (uint16_t from_end = 1; from_end <= length; from_end++) {
        payload[length - from_end] = (uint8_t)(from_end % 2 == 1 ? sequence : sequence >> 8);
    }
    payload[0] = kind;
}

uint16_t packet_sequence(const uint8_t *payload, uint16_t length)
{
    return (uint16_t)(payload[length - 2] << 8 | payload[length - 1]);
}

void app_init(kernel_pid_t initiator_pid)
{
    initiator = thread_get(initiator_pid);
}

void app_start(uint32_t packets)
{
    counts = (struct counts){ 0 };
    run.packets = packets;
    run.active = true;
    thread_flags_set(initiator, FLAG_START);
}

/** After a run that was stopped no event is sent: the count of frames in `report` stays the analyzer's. */
static void fall_silent(void)
{
    if (app_is_stopped && !run.active) {
        gpiorig_enable_all(false);
    }
}

uint32_t app_await_start(void)
{
    thread_flags_wait_any(FLAG_START);
    run.since_us = ztimer_now(ZTIMER_USEC);
    return run.packets;
}

void app_end(void)
{
    run.active = false;
    fall_silent();
}

void app_stop(void)
{
    app_is_stopped = true;
    fall_silent();
}

void app_apply(void)
{
    app_is_stopped = false;
    gpiorig_enable_all(true);
    gpiorig_enable_group(GPIORIG_GROUP_SCHED, settings.events_sched != 0);
    gpiorig_enable_group(GPIORIG_GROUP_TASK, settings.events_task != 0);
    gpiorig_enable_group(GPIORIG_GROUP_QUEUE, settings.events_queue != 0);
    gpiorig_enable_group(GPIORIG_GROUP_TIMER, settings.events_timer != 0);
}

bool app_is_running(void)
{
    return run.active;
}

bool app_continues(void)
{
    return !app_is_stopped &&
           (settings.duration_s == 0 || ztimer_now(ZTIMER_USEC) - run.since_us < settings.duration_s * 1000000u);
}
