/**
 * One image for both roles: the node that is told to start sends from a thread of its own, the initiator; another, the
 * responder, takes what others send, and answers. The shell's thread is less urgent than both.
 */
#include <inttypes.h>
#include <stdio.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "console.h"
#include "link.h"
#include "settings.h"
#include "thread.h"
#include "thread_flags.h"
#include "ztimer.h"

#define PRIORITY (THREAD_PRIORITY_MAIN - 1)
#define FLAG_START 0x1u

struct counts counts;

static char responder_stack[THREAD_STACKSIZE_MAIN], initiator_stack[THREAD_STACKSIZE_MAIN];
static thread_t *initiator;

static struct {
    volatile bool active, stopped;
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

void app_start(uint32_t packets)
{
    counts = (struct counts){ 0 };
    run.packets = packets;
    run.active = true;
    thread_flags_set(initiator, FLAG_START);
}

/** After a run that was stopped no event is sent: the count of frames in `report` stays what the analyzer saw. */
static void fall_silent(void)
{
    if (run.stopped && !run.active) {
        gpiorig_enable_all(false);
    }
}

void app_stop(void)
{
    run.stopped = true;
    fall_silent();
}

void app_apply(void)
{
    run.stopped = false;
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

bool app_goes_on(void)
{
    return !run.stopped &&
           (settings.duration_s == 0 || ztimer_now(ZTIMER_USEC) - run.since_us < settings.duration_s * 1000000u);
}

/** Software's own times of the same events, where the build keeps them (LOG=records). */
static void print_log(void)
{
    char line[GPIORIG_LOG_LINE];

    while (gpiorig_log_line(line) != 0) {
        puts(line);
    }
}

static void *initiate(void *unused)
{
    (void)unused;
    for (;;) {
        thread_flags_wait_any(FLAG_START);
        run.since_us = ztimer_now(ZTIMER_USEC);
        if (settings.app == APP_pingpong || settings.app == APP_print) {
            rounds_run(run.packets);
        } else {
            oneway_run(run.packets);
        }
        print_log();
        printf("done sent=%" PRIu32 " received=%" PRIu32 " lost=%" PRIu32 " probes=%" PRIu32 "\n", counts.sent,
               counts.received, counts.lost, gpiorig_frames());
        run.active = false;
        fall_silent();
    }
    return NULL;
}

static void *respond(void *unused)
{
    static uint8_t payload[PAYLOAD_MOST];

    (void)unused;
    link_open(LINK_REQUESTS);
    for (;;) {
        uint16_t from, sequence;
        uint16_t length = link_receive(LINK_REQUESTS, payload, sizeof payload, LINK_FOREVER, &from);
        uint32_t now = ztimer_now(ZTIMER_USEC);

        if (length < PAYLOAD_LEAST) {
            continue;
        }
        sequence = packet_sequence(payload, length);
        counts.received++;
        GPIORIG_ENTER_ID(APP_RX, sequence);
        if (payload[0] == KIND_REQUEST && !run.stopped) {
            rounds_answer(payload, length, from, now);
        }
        GPIORIG_EXIT_ID(APP_RX, sequence);
        if (payload[0] == KIND_ONE_WAY) {
            printf("packet seq=%u rx_us=%" PRIu32 " status=ok\n", sequence, now);
        }
    }
    return NULL;
}

int main(void)
{
    ztimer_acquire(ZTIMER_USEC); /* or it stops while nobody waits for it, where ztimer_ondemand is used */
    settings_reset();
    app_apply();
    printf("boot board=" RIOT_BOARD " firmware=riot\n");
    if (!link_init() || !link_configure()) {
        puts("fault the radio does not answer");
    }
    thread_create(responder_stack, sizeof responder_stack, PRIORITY, 0, respond, NULL, "responder");
    initiator = thread_get(
        thread_create(initiator_stack, sizeof initiator_stack, PRIORITY, 0, initiate, NULL, "initiator"));
    puts("ready");
    console_run();
    return 0;
}
