/** Commands. */
#include "pingpong-console.h"

#include "lib/random.h"
#include "link.h"
#include "net/netstack.h"
#include "sys/rtimer.h"

#ifdef CONTIKI_TARGET_NRF /* its platform listens to the serial port for a shell only */
#include "dev/serial-line.h"
#include "uarte-arch.h"
#endif

#if MAC_CONF_WITH_TSCH
#include "net/mac/tsch/tsch.h"
#endif

#include "gpiorig/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE(SHORT) {.u8 = {0x02, [LINKADDR_SIZE - 2] = (uint8_t)((SHORT) >> 8), [LINKADDR_SIZE - 1] = (uint8_t)(SHORT)}}

#define X(KEY, ...) static const char *const KEY##_names[] = {__VA_ARGS__, NULL};
SETTINGS_NAMES(X)
#undef X

#define X(KEY, MINIMUM, MAXIMUM, DEFAULT, NAMES) .KEY = DEFAULT,
static const struct settings defaults = {SETTINGS_HERE(X)};
struct settings settings = {SETTINGS_HERE(X)};
#undef X

struct setting {
    const char *key;
    uint32_t *value;
    uint32_t minimum, maximum;
    const char *const *names; /* NULL: a number; NULL ends them */
};

#define X(KEY, MINIMUM, MAXIMUM, DEFAULT, NAMES) {#KEY, &settings.KEY, MINIMUM, MAXIMUM, NAMES},
static const struct setting table[] = {SETTINGS_HERE(X)};
#undef X

static linkaddr_t hardware; /* its address at the start */
static const struct console_callbacks *application;

/** The events that are set; after `stop` none, so that the count in `report` is that of the analyzer. */
static void show_events(bool on)
{
    gpiorig_enable_all(on);
    gpiorig_enable_group(GPIORIG_GROUP_SCHED, on && settings.events_sched != 0);
    gpiorig_enable_group(GPIORIG_GROUP_TASK, on && settings.events_task != 0);
    gpiorig_enable_group(GPIORIG_GROUP_QUEUE, on && settings.events_queue != 0);
}

void console_open(const struct console_callbacks *callbacks)
{
    application = callbacks;
    hardware = linkaddr_node_addr;
#ifdef CONTIKI_TARGET_NRF
    uarte_set_input(serial_line_input_byte);
#endif
}

linkaddr_t node_of(uint16_t short_address)
{
    const linkaddr_t node = NODE(short_address);

    return node;
}

/** Sets driver, MAC and what is above them. A driver that does not take one (IoT-LAB's rf2xx) does not filter by addresses. */
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

static bool read_number(const char *text, uint32_t minimum, uint32_t maximum, uint32_t *number)
{
    char *end;
    unsigned long value = strtoul(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);

    *number = value;
    return end != text && *end == '\0' && value >= minimum && value <= maximum;
}

static bool read_value(const struct setting *setting, const char *text, uint32_t *value)
{
    if (setting->names == NULL) {
        return read_number(text, setting->minimum, setting->maximum, value);
    }
    for (*value = 0; setting->names[*value] != NULL; (*value)++) {
        if (strcmp(setting->names[*value], text) == 0) {
            return true;
        }
    }
    return false;
}

/** What else a new value changes. NULL, or why it is refused. */
static const char *apply(const uint32_t *setting, uint32_t value)
{
    if (setting == &settings.address) {
        return set_address((uint16_t)value);
    }
    if (setting == &settings.payload && value % 2 != 0) {
        return "the payload is an even number of bytes";
    }
    if (setting == &settings.seed) {
        random_init((unsigned short)(value ^ value >> 16));
    }
    if (setting == &settings.channel &&
        NETSTACK_RADIO.set_value(RADIO_PARAM_CHANNEL, (radio_value_t)value) != RADIO_RESULT_OK) {
        return "the radio does not take that channel";
    }
#if MAC_CONF_WITH_TSCH
    if (setting == &settings.coordinator) {
        tsch_set_coordinator((int)value);
    }
#endif
    return NULL;
}

static void name_values(const struct setting *setting)
{
    printf("error set: %s is ", setting->key);
    if (setting->names == NULL) {
        printf("%lu to %lu\n", (unsigned long)setting->minimum, (unsigned long)setting->maximum);
        return;
    }
    printf("one of");
    for (const char *const *name = setting->names; *name != NULL; name++) {
        printf(" %s", *name);
    }
    printf("\n");
}

/** Answers `set`. */
static void set(const char *key, const char *text)
{
    for (unsigned at = 0; at < sizeof table / sizeof *table; at++) {
        const char *refusal;
        uint32_t value;

        if (strcmp(key, table[at].key) != 0) {
            continue;
        }
        if (!read_value(&table[at], text, &value)) {
            name_values(&table[at]);
            return;
        }
        refusal = apply(table[at].value, value);
        if (refusal != NULL) {
            printf("error set %s: %s\n", key, refusal);
            return;
        }
        *table[at].value = value;
        show_events(true);
        printf("ok set %s=%s\n", key, text);
        return;
    }
    printf("error set %s: no such key\n", key);
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
    uint32_t value;

    if (command == NULL) {
        printf("error empty line\n");
    } else if (strcmp(command, "identify") == 0) {
        identify();
    } else if (strcmp(command, "defaults") == 0) {
        settings = defaults;
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
        set(first, second);
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
        printf("error unknown command; use identify, defaults, set KEY VALUE, start PACKETS, stop, report, log\n");
    }
    return false;
}
