/** Ping-pong, and the print test: the same while lines are printed. */
#include "app.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpiorig/probe.h"

#include "link.h"
#include "settings.h"
#include "ztimer.h"

/** The print test: `settings.print` characters for each packet, at the priority of the thread that handles it. */
static void print_test(void)
{
    if (settings.app == APP_print) {
        for (uint32_t at = 0; at < settings.print; at++) {
            putchar('.');
        }
        putchar('\n');
    }
}

static bool transmit(uint16_t to, const uint8_t *payload, uint16_t length, uint16_t sequence)
{
    bool is_sent;

    counts.sent++;
    GPIORIG_ENTER_ID(APP_TX, sequence);
    is_sent = link_send(to, payload, length);
    GPIORIG_EXIT_ID(APP_TX, sequence);
    return is_sent;
}

/** Waits until `timeout_us` after `since_us` for the reply; `received_us` is when it arrived. */
static bool await_reply(uint16_t sequence, uint32_t since_us, uint32_t *received_us)
{
    static uint8_t payload[PAYLOAD_MOST];

    for (;;) {
        uint32_t waited_us = ztimer_now(ZTIMER_USEC) - since_us;
        uint16_t from, length;

        if (waited_us >= settings.timeout_us) {
            return false;
        }
        length = link_receive(LINK_REPLIES, payload, sizeof payload, settings.timeout_us - waited_us, &from);
        if (length >= PAYLOAD_LEAST && payload[0] == KIND_REPLY) {
            uint16_t number = packet_sequence(payload, length);

            *received_us = ztimer_now(ZTIMER_USEC);
            GPIORIG_ENTER_ID(APP_RX, number);
            GPIORIG_EXIT_ID(APP_RX, number);
            if (number == sequence) {
                return true;
            }
        }
    }
}

static void round_trip(uint16_t sequence)
{
    static uint8_t payload[PAYLOAD_MOST];
    uint32_t sent_us, received_us;
    const char *reason = "timeout";

    packet_fill(payload, (uint16_t)settings.payload, KIND_REQUEST, sequence);
    sent_us = ztimer_now(ZTIMER_USEC);
    if (!transmit((uint16_t)settings.peer, payload, (uint16_t)settings.payload, sequence)) {
        reason = "busy";
    } else if (await_reply(sequence, sent_us, &received_us)) {
        counts.received++;
        print_test();
        printf("packet seq=%u tx_us=%" PRIu32 " rx_us=%" PRIu32 " status=ok\n", sequence, sent_us, received_us);
        return;
    }
    counts.lost++;
    printf("packet seq=%u tx_us=%" PRIu32 " status=lost reason=%s\n", sequence, sent_us, reason);
}

void rounds_run(uint32_t packets)
{
    uint32_t woken_us = ztimer_now(ZTIMER_USEC);

    link_open(LINK_REPLIES);
    for (uint32_t sequence = 1; sequence <= packets; sequence++) {
        ztimer_periodic_wakeup(ZTIMER_USEC, &woken_us, settings.interval_us);
        if (!app_continues()) {
            break;
        }
        round_trip((uint16_t)sequence);
    }
    link_close(LINK_REPLIES);
}

void rounds_answer(uint8_t *payload, uint16_t length, uint16_t from, uint32_t received_us)
{
    uint16_t sequence = packet_sequence(payload, length);
    uint32_t sent_us;
    bool is_sent;

    print_test();
    packet_fill(payload, length, KIND_REPLY, sequence);
    sent_us = ztimer_now(ZTIMER_USEC);
    is_sent = transmit(from, payload, length, sequence);
    counts.lost += is_sent ? 0 : 1;
    printf("packet seq=%u rx_us=%" PRIu32 " tx_us=%" PRIu32 " status=%s\n", sequence, received_us, sent_us,
           is_sent ? "ok" : "busy");
}
