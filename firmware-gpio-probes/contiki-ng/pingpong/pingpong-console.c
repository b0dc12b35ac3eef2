/** Commands. */
#include "pingpong-console.h"

#include "lib/random.h"
#include "link.h"
#include "net/netstack.h"
#include "sys/rtimer.h"

#if MAC_CONF_WITH_TSCH
#include "net/mac/tsch/tsch.h"
#endif

#include "gpiorig/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE(SHORT) {.u8 = {0x02, [LINKADDR_SIZE - 2] = (uint8_t)((SHORT) >> 8), [LINKADDR_SIZE - 1] = (uint8_t)(SHORT)}}
#define DEFAULTS {.peer = NODE(2), .interval_us = 200000, .timeout_us = 100000, .payload = 32, .events_sched = true, \
                  .events_task = true, .events_queue = true}

struct settings settings = DEFAULTS;

static linkaddr_t hardware; /* its address at the start */
static const struct console_callbacks *application;

/** The events that were asked for; after `stop` none, so that the count in `report` is what the analyzer saw. */
static void show_events(bool on)
{
    gpiorig_enable_all(on);
    gpiorig_enable_group(GPIORIG_GROUP_SCHED, on && settings.events_sched);
    gpiorig_enable_group(GPIORIG_GROUP_TASK, on && settings.events_task);
    gpiorig_enable_group(GPIORIG_GROUP_QUEUE, on && settings.events_queue);
}

void console_open(const struct console_callbacks *callbacks)
{
    application = callbacks;
    hardware = linkaddr_node_addr;
}

/** A local EUI-64, from a short address. */
static linkaddr_t node_of(uint16_t short_address)
{
    const linkaddr_t node = NODE(short_address);

    return node;
}

/** Driver, MAC and what is above them. A driver that cannot be told (IoT-LAB's rf2xx) does not filter by addresses. */
static const char *set_address(uint16_t short_address)
{
    const linkaddr_t address = node_of(short_address);
    radio_result_t result;

    NETSTACK_RADIO.set_value(RADIO_PARAM_16BIT_ADDR, short_address);
    result = NETSTACK_RADIO.set_object(RADIO_PARAM_64BIT_ADDR, &address, sizeof address);
    if (result != RADIO_RESULT_OK && result != RADIO_RESULT_NOT_SUPPORTED) {
        return "the radio does not take that address";
    }
    linkaddr_node_addr = address;
    link_address();
    return NULL;
}

void print_node(const linkaddr_t *node)
{
    for (unsigned at = 0; at < LINKADDR_SIZE; at++) {
        printf("%02x", node->u8[at]);
    }
}

static bool read_number(const char *text, uint32_t least, uint32_t most, uint32_t *number)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    *number = value;
    return end != text && *end == '\0' && value >= least && value <= most;
}

static bool read_application(const char *text)
{
    static const char *const names[] = {"pingpong", "broadcast", "interferer"};

    for (unsigned at = 0; at < sizeof names / sizeof *names; at++) {
        if (strcmp(text, names[at]) == 0) {
            settings.application = (enum application)at;
            return true;
        }
    }
    return false;
}

static const struct {
    const char *key;
    bool *is_on;
} groups[] = {
    {"events_sched", &settings.events_sched},
    {"events_task", &settings.events_task},
    {"events_queue", &settings.events_queue},
};

/** NULL, or what is wrong. */
static const char *set(const char *key, const char *text)
{
    uint32_t value;

    if (strcmp(key, "address") == 0 || strcmp(key, "peer") == 0) {
        if (!read_number(text, 1, 0xfffd, &value)) {
            return "address and peer are 1 to 65533";
        }
        if (key[0] == 'a') {
            return set_address((uint16_t)value);
        }
        settings.peer = node_of((uint16_t)value);
        return NULL;
    }
    if (strcmp(key, "backoff") == 0) {
        return strcmp(text, "1") == 0 ? NULL : "CSMA of Contiki-NG always backs off: it is 1";
    }
    if (strcmp(key, "seed") == 0) {
        if (!read_number(text, 0, UINT32_MAX, &value)) {
            return "seed is 0 to 4294967295";
        }
        random_init((unsigned short)(value ^ value >> 16));
        return NULL;
    }
    if (strcmp(key, "app") == 0) {
        return read_application(text) ? NULL : "app is pingpong, broadcast or interferer";
    }
    if (strcmp(key, "payload") == 0) {
        if (!read_number(text, PAYLOAD_MIN, PAYLOAD_MAX, &value) || value % 2 != 0) {
            return "payload is an even number, 8 to 64";
        }
        settings.payload = (uint16_t)value;
        return NULL;
    }
    if (strcmp(key, "interval_us") == 0) {
        return read_number(text, 1000, 3600000000ul, &settings.interval_us) ? NULL : "interval_us is 1000 to 3600000000";
    }
    if (strcmp(key, "timeout_us") == 0) {
        return read_number(text, 1000, 60000000ul, &settings.timeout_us) ? NULL : "timeout_us is 1000 to 60000000";
    }
    if (strcmp(key, "channel") == 0) {
        if (!read_number(text, 11, 26, &value)) {
            return "channel is 11 to 26";
        }
        return NETSTACK_RADIO.set_value(RADIO_PARAM_CHANNEL, (radio_value_t)value) == RADIO_RESULT_OK
                   ? NULL : "the radio does not take that channel";
    }
    for (unsigned at = 0; at < sizeof groups / sizeof *groups; at++) {
        if (strcmp(key, groups[at].key) == 0) {
            if (!read_number(text, 0, 1, &value)) {
                return "events of a group are sent (1) or not (0)";
            }
            *groups[at].is_on = value != 0;
            return NULL;
        }
    }
#if MAC_CONF_WITH_TSCH
    if (strcmp(key, "coordinator") == 0) {
        if (!read_number(text, 0, 1, &value)) {
            return "coordinator is 0 or 1";
        }
        tsch_set_coordinator((int)value);
        return NULL;
    }
#endif
    return "no such key";
}

static void identify(void)
{
    uint16_t address = (uint16_t)(linkaddr_node_addr.u8[LINKADDR_SIZE - 2] << 8 |
                                  linkaddr_node_addr.u8[LINKADDR_SIZE - 1]);

    printf("ok identify board=" CONTIKI_TARGET_STRING " firmware=contiki-ng uid=");
    print_node(&hardware);
    printf(" address=%u probes=" GPIORIG_VARIANT_NAME " table=%08lx\n", address, (unsigned long)GPIORIG_TABLE_CRC);
    GPIORIG_EVENT_ID(RIG_IDENTIFY, address);
}

/** The event log, if the build has one: -DGPIORIG_LOG=RECORDS in GPIORIG_DEFINES. Its times are ticks of the rtimer. */
static void drain_log(void)
{
    char text[GPIORIG_LOG_LINE];

    while (gpiorig_log_line(text) != 0) {
        printf("%s\n", text);
    }
    printf("ok log lost=%lu second=%lu\n", (unsigned long)gpiorig_log_lost(), (unsigned long)RTIMER_SECOND);
}

bool console_command(char *line, uint16_t *packets)
{
    const char *command = strtok(line, " ");
    const char *first = strtok(NULL, " ");
    const char *second = strtok(NULL, " ");
    const char *wrong;
    uint32_t value;

    if (command == NULL) {
        printf("error empty line\n");
    } else if (strcmp(command, "identify") == 0) {
        identify();
    } else if (strcmp(command, "defaults") == 0) {
        settings = (struct settings)DEFAULTS;
        show_events(true);
        printf("ok defaults\n");
    } else if (strcmp(command, "stop") == 0) {
        application->stop();
        show_events(false);
        printf("ok stop\n");
    } else if (strcmp(command, "log") == 0) {
        drain_log();
    } else if (strcmp(command, "report") == 0) {
        application->report();
    } else if (strcmp(command, "set") == 0 && first != NULL && second != NULL) {
        wrong = set(first, second);
        if (wrong == NULL) {
            show_events(true);
            printf("ok set %s=%s\n", first, second);
        } else {
            printf("error set %s: %s\n", first, wrong);
        }
    } else if (strcmp(command, "start") == 0 && first != NULL && read_number(first, 1, 65535, &value)) {
#if MAC_CONF_WITH_TSCH
        if (!tsch_is_associated) {
            printf("error start: not associated yet; one node needs `set coordinator 1`\n");
            return false;
        }
#endif
        *packets = (uint16_t)value;
        show_events(true);
        printf("ok start packets=%u\n", *packets);
        return true;
    } else {
        printf("error unknown command; identify, defaults, set KEY VALUE, start PACKETS, stop, report and log are\n");
    }
    return false;
}
