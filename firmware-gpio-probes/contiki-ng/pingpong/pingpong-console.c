/** Commands. */
#include "pingpong-console.h"

#include "net/netstack.h"
#include "sys/rtimer.h"

#if MAC_CONF_WITH_TSCH
#include "net/mac/tsch/tsch.h"
#endif

#include "gpiorig/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULTS {.interval_us = 200000, .timeout_us = 100000, .payload = 32}

struct settings settings = DEFAULTS;

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

/** The value of a hexadecimal digit; 16 for anything else. */
static uint8_t digit(char character)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = character == '\0' ? NULL : strchr(digits, character);

    return at == NULL ? 16 : (uint8_t)(at - digits);
}

static bool read_node(const char *text, linkaddr_t *node)
{
    for (unsigned at = 0; at < LINKADDR_SIZE; at++) {
        uint8_t high = digit(text[2 * at]);
        uint8_t low = high == 16 ? 16 : digit(text[2 * at + 1]);

        if (low == 16) {
            return false;
        }
        node->u8[at] = (uint8_t)(high << 4 | low);
    }
    return text[2 * LINKADDR_SIZE] == '\0';
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

/** NULL, or what is wrong. */
static const char *set(const char *key, const char *text)
{
    uint32_t value;

    if (strcmp(key, "peer") == 0) {
        return read_node(text, &settings.peer) ? NULL : "peer is the other node's uid, as `identify` says it";
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
    if (strcmp(key, "sched") == 0 || strcmp(key, "task") == 0 || strcmp(key, "queue") == 0) {
        if (!read_number(text, 0, 1, &value)) {
            return "sched, task and queue are 0 or 1: whether their events are sent";
        }
        gpiorig_enable_group(key[0] == 's' ? GPIORIG_GROUP_SCHED : key[0] == 't' ? GPIORIG_GROUP_TASK : GPIORIG_GROUP_QUEUE,
                             value != 0);
        return NULL;
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
    printf("ok identify board=" CONTIKI_TARGET_STRING " firmware=contiki-ng uid=");
    print_node(&linkaddr_node_addr);
    printf(" address=");
    print_node(&linkaddr_node_addr);
    printf(" kernel=contiki-ng probes=" GPIORIG_VARIANT_NAME " table=0x%08lx\n", (unsigned long)GPIORIG_TABLE_CRC);
    GPIORIG_EVENT_ID(RIG_IDENTIFY, (uint16_t)(linkaddr_node_addr.u8[LINKADDR_SIZE - 2] << 8 |
                                              linkaddr_node_addr.u8[LINKADDR_SIZE - 1]));
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
        printf("ok defaults\n");
    } else if (strcmp(command, "stop") == 0) {
        pingpong_stop();
        printf("ok stop\n");
    } else if (strcmp(command, "log") == 0) {
        drain_log();
    } else if (strcmp(command, "report") == 0) {
        pingpong_report();
    } else if (strcmp(command, "set") == 0 && first != NULL && second != NULL) {
        wrong = set(first, second);
        if (wrong == NULL) {
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
        printf("ok start packets=%u\n", *packets);
        return true;
    } else {
        printf("error unknown command; identify, defaults, set KEY VALUE, start PACKETS, stop, report and log are\n");
    }
    return false;
}
