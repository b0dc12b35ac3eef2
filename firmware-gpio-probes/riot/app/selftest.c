/**
 * The self-test of the probes at run time: what a linker cannot tell. The list is that of hooks/riot-2026.07.toml
 * ([selftest.initiator]); a test compares them.
 */
#include "selftest.h"

#include <stdint.h>
#include <stdio.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "link.h"
#include "ztimer.h"

#ifdef GPIORIG_SELFTEST

/* Both ends of a span. */
#define SPAN(POINT) GPIORIG_##POINT##_ENTER, GPIORIG_##POINT##_EXIT

static const uint8_t expected[] = {
    SPAN(APP_TX), SPAN(APP_RX),
#ifdef MODULE_GNRC_SOCK_UDP
    SPAN(SOCK_TX), SPAN(SOCK_RX), SPAN(UDP_TX), SPAN(UDP_RX), SPAN(UDP_HEADER), SPAN(UDP_CHECKSUM), SPAN(IPV6_TX),
    SPAN(IPV6_RX), SPAN(IPV6_HEADER), SPAN(IPV6_NEXT_HOP), SPAN(SIXLOWPAN_TX), SPAN(SIXLOWPAN_RX),
    SPAN(SIXLOWPAN_COMPRESS), SPAN(SIXLOWPAN_DECOMPRESS),
#endif
#ifdef MODULE_GNRC_NETIF
    SPAN(MAC_TX), SPAN(MAC_RX), SPAN(TASK_RUN), GPIORIG_QUEUE_PASS, GPIORIG_QUEUE_POST, GPIORIG_QUEUE_FETCH,
#endif
    GPIORIG_MAC_SEQUENCE, SPAN(DRIVER_TX), SPAN(DRIVER_LOAD), SPAN(DRIVER_EXEC), SPAN(DRIVER_ISR),
    SPAN(DRIVER_RX_LENGTH), SPAN(DRIVER_RX_READ), GPIORIG_RADIO_RX_COMPLETE, GPIORIG_SCHED_SWITCH, SPAN(ISR_RADIO),
    GPIORIG_TIMER_SET,
};

static void say(uint8_t code)
{
    printf("missing %s\n", gpiorig_name(code));
}

int selftest(int argc, char **argv)
{
    unsigned missing;

    (void)argc;
    (void)argv;
    if (app_is_running()) {
        puts("error selftest: packets are being sent; wait for done");
        return 1;
    }
    app_apply();
    gpiorig_enable_all(true);
    gpiorig_selftest_begin();
    app_start(1);
    while (app_is_running()) {
        ztimer_sleep(ZTIMER_USEC, 10000);
    }
    missing = gpiorig_selftest_end(expected, sizeof expected, say);
    app_apply();
    if (counts.received == 0) {
        puts("error selftest: no reply came; is the peer there?");
        return 1;
    }
    printf(missing == 0 ? "ok selftest missing=0\n" : "error selftest missing=%u\n", missing);
    return missing != 0;
}

#else

int selftest(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("error selftest: build with SELFTEST=1");
    return 1;
}

#endif
