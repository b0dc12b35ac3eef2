/** The host's commands, on RIOT's shell. Each is answered by one line. */
#include "console.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "link.h"
#include "luid.h"
#include "selftest.h"
#include "settings.h"
#include "shell.h"

#ifndef TABLE_CRC
#error "TABLE_CRC: the CRC-32 of include/gpiorig/events.h; the Makefile computes it"
#endif

static int identify(int argc, char **argv)
{
    uint8_t uid[8];

    (void)argc;
    (void)argv;
    GPIORIG_EVENT_ID(RIG_IDENTIFY, settings.address);
    luid_base(uid, sizeof uid);
    printf("ok identify board=" RIOT_BOARD " firmware=riot uid=");
    for (unsigned at = 0; at < sizeof uid; at++) {
        printf("%02x", uid[at]);
    }
    printf(" address=%" PRIu32 " table=%08" PRIx32 " probes=" GPIORIG_VARIANT_NAME "\n", settings.address,
           (uint32_t)TABLE_CRC);
    return 0;
}

static int defaults(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (app_is_running()) {
        puts("error defaults: packets are being sent; wait for done");
        return 1;
    }
    settings_reset();
    app_apply();
    puts(link_configure() ? "ok defaults" : "error defaults: the radio did not take them");
    return 0;
}

static int set(int argc, char **argv)
{
    if (argc != 3) {
        puts("error set: give a key and a value, as in: set channel 26");
        return 1;
    }
    if (app_is_running()) {
        puts("error set: packets are being sent; wait for done");
        return 1;
    }
    switch (settings_set(argv[1], argv[2])) {
    case SETTING_UNKNOWN:
        printf("error set: keys are%s\n", settings_keys);
        return 1;
    case SETTING_BAD:
        puts("error set: out of range");
        return 1;
    case SETTING_DONE:
        break;
    }
    if (!link_configure()) {
        puts("error set: the radio did not take it");
        return 1;
    }
    app_apply();
    printf("ok set %s=%s\n", argv[1], argv[2]);
    return 0;
}

static int start(int argc, char **argv)
{
    uint32_t packets = UINT32_MAX; /* until stop */

    if (argc > 2 || (argc == 2 && (!parse_number(argv[1], &packets) || packets == 0))) {
        puts("error start: give a number of packets, as in: start 100, or none");
        return 1;
    }
    if (app_is_running()) {
        puts("error start: packets are being sent; wait for done");
        return 1;
    }
    printf("ok start packets=%" PRIu32 "\n", packets);
    app_apply();
    app_start(packets);
    return 0;
}

static int stop(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("ok stop");
    app_stop();
    return 0;
}

static int report(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    printf("ok report sent=%" PRIu32 " received=%" PRIu32 " lost=%" PRIu32 " probes=%" PRIu32
           " uart_dropped=0 errors=%" PRIu32 " log_lost=%" PRIu32 "\n",
           counts.sent, counts.received, counts.lost, gpiorig_frames(), counts.errors, gpiorig_log_lost());
    return 0;
}

static const shell_command_t commands[] = {
    { "identify", "who this is", identify },
    { "defaults", "settings as after reset", defaults },
    { "set", "set KEY VALUE", set },
    { "start", "start [PACKETS]", start },
    { "stop", "send nothing more", stop },
    { "report", "what has happened", report },
    { "selftest", "one round trip: did every probe speak?", selftest },
    { NULL, NULL, NULL },
};

void console_run(void)
{
    static char line[SHELL_DEFAULT_BUFSIZE];

    shell_run(commands, line, sizeof line);
}
