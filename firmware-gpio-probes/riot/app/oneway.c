/** Lines alone, and packets without an answer: broadcast, trains back to back, and an interferer, whose frames no node takes. */
#include "app.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpiorig/probe.h"

#include "link.h"
#include "settings.h"
#include "ztimer.h"

static void send_one(uint16_t sequence, bool is_logged)
{
    static uint8_t payload[PAYLOAD_MOST];
    uint16_t to = settings.app == APP_train        ? (uint16_t)settings.peer
                  : settings.app == APP_interferer ? LINK_NO_NODE
                                                   : LINK_BROADCAST;
    uint32_t sent_us;
    bool is_sent;

    packet_fill(payload, (uint16_t)settings.payload, KIND_ONE_WAY, sequence);
    sent_us = ztimer_now(ZTIMER_USEC);
    counts.sent++;
    GPIORIG_ENTER_ID(APP_TX, sequence);
    is_sent = link_send(to, payload, (uint16_t)settings.payload);
    GPIORIG_EXIT_ID(APP_TX, sequence);
    counts.lost += is_sent ? 0 : 1;
    if (is_logged) {
        printf("packet seq=%u tx_us=%" PRIu32 " status=%s\n", sequence, sent_us, is_sent ? "ok" : "lost reason=busy");
    }
}

/** A line, then a sleep: from line to line it is the interval and the time of printing. */
void sleeper_run(uint32_t packets)
{
    for (uint32_t sequence = 1; sequence <= packets && app_continues(); sequence++) {
        ztimer_sleep(ZTIMER_USEC, settings.interval_us);
        counts.sent++;
        GPIORIG_ENTER_ID(APP_TX, (uint16_t)sequence);
        printf("packet seq=%u tx_us=%" PRIu32 " status=ok\n", (uint16_t)sequence, ztimer_now(ZTIMER_USEC));
        GPIORIG_EXIT_ID(APP_TX, (uint16_t)sequence);
    }
}

void oneway_run(uint32_t packets)
{
    uint32_t woken_us = ztimer_now(ZTIMER_USEC);
    uint32_t together = settings.app == APP_train ? settings.train : 1;
    bool is_logged = settings.app == APP_broadcast; /* to write a line takes longer than a packet of a train */

    for (uint32_t sequence = 1; sequence <= packets && app_continues(); sequence++) {
        if ((sequence - 1) % together == 0) {
            ztimer_periodic_wakeup(ZTIMER_USEC, &woken_us, settings.interval_us);
        }
        send_one((uint16_t)sequence, is_logged);
    }
}
