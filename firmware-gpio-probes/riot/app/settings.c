#include "settings.h"

#include <stdlib.h>
#include <string.h>

static const struct settings defaults = {
    .app = DEFAULT_APP,
    .address = 1,
    .peer = 2,
    .channel = 26,
    .interval_us = 20000,
    .timeout_us = 15000,
    .payload = 32,
    .backoff = 1,
    .csma = 1,
    .seed = 1,
    .print = 40,
    .train = 8,
};

struct settings settings;

#ifdef LINK_IS_MAC
#define PINGPONG "macping"
#else
#define PINGPONG "pingpong"
#endif

const char *const app_names[APPS] = { PINGPONG, "broadcast", "print", "interferer", "train" };

static const struct {
    const char *key;
    uint32_t *value;
    uint32_t least, most;
} table[] = {
    { "app", &settings.app, 0, APPS - 1 },
    { "address", &settings.address, 1, 0xfffd },
    { "peer", &settings.peer, 1, 0xfffd },
    { "channel", &settings.channel, 11, 26 },
    { "interval_us", &settings.interval_us, 100, 60000000 },
    { "timeout_us", &settings.timeout_us, 1000, 60000000 },
    { "payload", &settings.payload, PAYLOAD_LEAST, PAYLOAD_MOST },
    { "backoff", &settings.backoff, 0, 1 },
    { "csma", &settings.csma, 0, 1 },
    { "seed", &settings.seed, 0, UINT32_MAX },
    { "print", &settings.print, 0, 200 },
    { "train", &settings.train, 1, 255 },
    { "events_sched", &settings.events_sched, 0, 1 },
    { "events_task", &settings.events_task, 0, 1 },
    { "events_queue", &settings.events_queue, 0, 1 },
    { "events_timer", &settings.events_timer, 0, 1 },
    { "duration_s", &settings.duration_s, 0, 2000 },
};

void settings_reset(void)
{
    settings = defaults;
}

bool parse_number(const char *text, uint32_t *number)
{
    char *end;

    if (*text < '0' || *text > '9') { /* strtoul would take a sign */
        return false;
    }
    *number = (uint32_t)strtoul(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
    return *end == '\0' && strlen(text) <= 10;
}

static bool parse(const char *key, const char *text, uint32_t *number)
{
    for (uint32_t app = 0; strcmp(key, "app") == 0 && app < APPS; app++) {
        if (strcmp(text, app_names[app]) == 0) {
            *number = app;
            return true;
        }
    }
    return parse_number(text, number);
}

enum setting_result settings_set(const char *key, const char *value)
{
    for (unsigned at = 0; at < sizeof table / sizeof table[0]; at++) {
        uint32_t number;

        if (strcmp(key, table[at].key) == 0) {
            if (!parse(key, value, &number) || number < table[at].least || number > table[at].most) {
                return SETTING_BAD;
            }
            *table[at].value = number;
            return SETTING_DONE;
        }
    }
    return SETTING_UNKNOWN;
}
