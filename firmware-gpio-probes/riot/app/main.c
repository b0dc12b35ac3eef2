/**
 * One image for both roles: the node that gets the command start sends from the thread initiator; the thread responder receives
 * what others send, and answers. The shell's thread is less urgent than both.
 */
#include <inttypes.h>
#include <stdio.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "console.h"
#include "link.h"
#include "settings.h"
#include "thread.h"
#include "ztimer.h"

#define PRIORITY (THREAD_PRIORITY_MAIN - 1)

static char responder_stack[THREAD_STACKSIZE_MAIN], initiator_stack[THREAD_STACKSIZE_MAIN];

/** The same events with the times of the node's clock, if the build logs them (LOG=records). */
static void print_log(void)
{
    char line[GPIORIG_LOG_LINE];

    while (gpiorig_log_line(line) != 0) {
        puts(line);
    }
}

/** Whether the application is one of requests and replies; such a node takes no other packets. */
static bool has_replies(void)
{
    return settings.app == APP_pingpong || settings.app == APP_print;
}

static void *initiate(void *unused)
{
    (void)unused;
    for (;;) {
        uint32_t packets = app_await_start();

        if (has_replies()) {
            rounds_run(packets);
        } else if (settings.app == APP_sleeper) {
            sleeper_run(packets);
        } else {
            oneway_run(packets);
        }
        print_log();
        app_end(); /* after the next line the host sets what the next run needs */
        printf("done sent=%" PRIu32 " received=%" PRIu32 " lost=%" PRIu32 " probes=%" PRIu32 "\n", counts.sent,
               counts.received, counts.lost, gpiorig_frames());
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
        bool is_taken;

        if (length < PAYLOAD_LEAST) {
            continue;
        }
        sequence = packet_sequence(payload, length);
        is_taken = payload[0] == KIND_REQUEST || !has_replies();
        counts.received += is_taken ? 1 : 0;
        GPIORIG_ENTER_ID(APP_RX, sequence);
        if (payload[0] == KIND_REQUEST && !app_is_stopped) {
            rounds_answer(payload, length, from, now);
        }
        GPIORIG_EXIT_ID(APP_RX, sequence);
        if (is_taken && payload[0] == KIND_ONE_WAY) {
            printf("packet seq=%u rx_us=%" PRIu32 " status=ok\n", sequence, now);
        }
    }
    return NULL;
}

int main(void)
{
    ztimer_acquire(ZTIMER_USEC); /* with ztimer_ondemand it stops while unused */
    settings_reset();
    app_apply();
    printf("boot board=" RIOT_BOARD " firmware=riot\n");
    if (!link_init() || !link_configure()) {
        puts("fault the radio does not answer");
    }
    thread_create(responder_stack, sizeof responder_stack, PRIORITY, 0, respond, NULL, "responder");
    app_init(thread_create(initiator_stack, sizeof initiator_stack, PRIORITY, 0, initiate, NULL, "initiator"));
    puts("ready");
    console_run();
    return 0;
}
