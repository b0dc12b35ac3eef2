/**
 * One image for both roles: the node that is told to start sends, from the shell's thread; a thread a little more urgent
 * takes what others send, and answers. Packets are sent by UDP, by the MAC alone, or by the driver alone (Makefile).
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

struct counts counts;

static char responder_stack[THREAD_STACKSIZE_MAIN];

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
        if (payload[0] == KIND_REQUEST) {
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
    printf("boot board=" RIOT_BOARD " firmware=riot\n");
    if (!link_init() || !link_configure()) {
        puts("fault the radio does not answer");
    }
    thread_create(responder_stack, sizeof responder_stack, THREAD_PRIORITY_MAIN - 1, THREAD_CREATE_STACKTEST, respond, NULL,
                  "responder");
    puts("ready");
    console_run();
    return 0;
}
