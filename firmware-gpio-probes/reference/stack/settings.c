#include "settings.h"

#include <stddef.h>
#include <string.h>

#include "gpiorig/options.h"

#include "board_limits.h"
#include "kernel.h"
#include "packet.h"
#include "radio_limits.h"

static const struct settings defaults = {
    .address = 1,
    .peer = 2,
    .channel = RADIO_CHANNEL_DEFAULT,
    .interval_us = 20000,
    .timeout_us = 15000,
    .payload = 32,
    .csma = 1,
    .backoff = 1,
    .seed = 1,
    .queue = 8,
    .print = 64,
    .window = 1,
    .train = 2,
    .rdc = 10,
    .sync_us = 10000000, /* Rodriguez-Zurrunero et al. 2019, 3.3 */
    .slotframe = 11,
    .worker_a_period_us = 100000,
    .worker_a_priority = PRIORITIES,
    .worker_b_period_us = 100000,
    .worker_b_priority = PRIORITIES,
};

struct settings settings;

void settings_reset(void)
{
    settings = defaults;
}

/* In the order of their enumerations; NULL ends them. */
static const char *const app_names[] = { "pingpong", "macping", "print", "broadcast", "sender", "interferer", "train",
                                          NULL };
static const char *const mac_names[] = { "csma", "tdma", "slots", NULL };
static const char *const fire_names[] = { "sleep", "timer", NULL };
static const char *const slot_names[] = { "10000", "15000", NULL }; /* of slots_plan.h */
static const char *const finish_names[] = { "interrupt", "busy", NULL };

struct setting {
    const char *key;
    uint32_t *value;
    uint32_t least, most;     /* of a number */
    const char *const *names; /* of an enumeration, or NULL */
};

#define LONGEST_US 1000000000u /* alarms reach 2^31 us ahead */

/* Addresses: 0xFFFE and 0xFFFF mean something else (IEEE 802.15.4-2006 7.2.1.4), 0xFFFD is nobody's (app_stream.c). */
static const struct setting table[] = {
    { "address", &settings.address, 0, 0xFFFC, NULL },
    { "peer", &settings.peer, 0, 0xFFFC, NULL },
    { "channel", &settings.channel, RADIO_CHANNEL_FIRST, RADIO_CHANNEL_LAST, NULL },
    { "app", &settings.app, 0, 0, app_names },
    { "mac", &settings.mac, 0, 0, mac_names },
    { "interval_us", &settings.interval_us, 1000, LONGEST_US, NULL },
    { "timeout_us", &settings.timeout_us, 1000, LONGEST_US, NULL },
    { "duration_s", &settings.duration_s, 0, 2000, NULL },
    { "payload", &settings.payload, PAYLOAD_MIN, PAYLOAD_MAX, NULL },
    { "csma", &settings.csma, 0, 1, NULL },
    { "backoff", &settings.backoff, 0, 1, NULL },
    { "finish", &settings.finish, 0, 0, finish_names },
    { "seed", &settings.seed, 0, UINT32_MAX, NULL },
    { "queue", &settings.queue, 1, QUEUE_LENGTH_MAX, NULL },
    { "print", &settings.print, 24, 150, NULL },
    { "window", &settings.window, 1, PACKETS, NULL },
    { "train", &settings.train, 1, 1000, NULL },
    { "gap_us", &settings.gap_us, 0, LONGEST_US, NULL },
    { "fire", &settings.fire, 0, 0, fire_names },
    { "events_sched", &settings.events_sched, 0, 1, NULL },
    { "events_task", &settings.events_task, 0, 1, NULL },
    { "events_queue", &settings.events_queue, 0, 1, NULL },
    { "events_timer", &settings.events_timer, 0, 1, NULL },
    { "events_slot", &settings.events_slot, 0, 1, NULL },
    { "next_hop", &settings.next_hop, 0, 0xFFFC, NULL },
    { "gateway", &settings.gateway, 0, 1, NULL },
    { "rdc", &settings.rdc, 10, 20, NULL },
    { "sync_us", &settings.sync_us, 100000, 100000000, NULL },
    { "slotframe", &settings.slotframe, 3, 101, NULL },
    { "slot_us", &settings.slot_us, 0, 0, slot_names },
    { "hopping", &settings.hopping, 0, 1, NULL },
    { "layer_priority", &settings.layer_priority, 0, PRIORITIES, NULL },
    { "worker_a_on_us", &settings.worker_a_on_us, 0, LONGEST_US, NULL },
    { "worker_a_period_us", &settings.worker_a_period_us, 1000, LONGEST_US, NULL },
    { "worker_a_priority", &settings.worker_a_priority, 1, PRIORITIES, NULL },
    { "worker_b_on_us", &settings.worker_b_on_us, 0, LONGEST_US, NULL },
    { "worker_b_period_us", &settings.worker_b_period_us, 1000, LONGEST_US, NULL },
    { "worker_b_priority", &settings.worker_b_priority, 1, PRIORITIES, NULL },
    { "heartbeat_us", &settings.heartbeat_us, 0, LONGEST_US, NULL },
#if GPIORIG_LOG
    { "log", &settings.log, 0, 1, NULL },
#endif
};
#define SETTINGS (sizeof table / sizeof table[0])

static uint32_t digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : UINT8_MAX;
}

bool parse_number(const char *text, uint32_t *number)
{
    uint32_t base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
    uint32_t value = 0;

    text += base == 16 ? 2 : 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        uint32_t digit = digit_value(*text);

        if (digit >= base || value > (UINT32_MAX - digit) / base) {
            return false;
        }
        value = value * base + digit;
    }
    *number = value;
    return true;
}

static const struct setting *find(const char *key, size_t length)
{
    for (unsigned i = 0; i < SETTINGS; i++) {
        if (strlen(table[i].key) == length && memcmp(table[i].key, key, length) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static bool parse_value(const struct setting *setting, const char *text, uint32_t *value)
{
    if (setting->names == NULL) {
        return parse_number(text, value) && *value >= setting->least && *value <= setting->most;
    }
    for (*value = 0; setting->names[*value] != NULL; (*value)++) {
        if (strncmp(setting->names[*value], text, strlen(text) + 1) == 0) {
            return true;
        }
    }
    return false;
}

static void name_values(struct line *line, const struct setting *setting)
{
    line_text(line, "error set: ");
    line_text(line, setting->key);
    line_text(line, " is ");
    if (setting->names == NULL) {
        line_number(line, setting->least);
        line_text(line, " to ");
        line_number(line, setting->most);
    } else {
        line_text(line, "one of");
        for (unsigned i = 0; setting->names[i] != NULL; i++) {
            line_text(line, " ");
            line_text(line, setting->names[i]);
        }
    }
}

/** There are too many for one line. */
static void name_keys(struct line *line, char first)
{
    line_text(line, "error set: no such key; with the same first letter there are:");
    for (unsigned i = 0; i < SETTINGS; i++) {
        if (table[i].key[0] == first) {
            line_text(line, " ");
            line_text(line, table[i].key);
        }
    }
}

bool settings_set(const char *arguments, struct line *answer)
{
    const char *space = strchr(arguments, ' ');
    const struct setting *setting;
    uint32_t value;

    if (space == NULL) {
        line_text(answer, "error set: give a key and a value, as in: set channel 26");
        return false;
    }
    setting = find(arguments, (size_t)(space - arguments));
    if (setting == NULL) {
        name_keys(answer, arguments[0]);
        return false;
    }
    if (!parse_value(setting, space + 1, &value)) {
        name_values(answer, setting);
        return false;
    }
    *setting->value = value;
    line_text(answer, "ok set ");
    line_text(answer, setting->key);
    line_text(answer, "=");
    line_text(answer, space + 1);
    return true;
}
