#include "settings.h"

#include <string.h>

#include "radio_limits.h"

struct settings settings = {
    .address = 1,
    .peer = 2,
    .channel = RADIO_CHANNEL_DEFAULT,
    .interval_us = 20000,
    .payload = 32,
    .backoff = 1,
    .seed = 1,
    .timeout_us = 15000,
};

static const struct {
    const char *key;
    uint32_t *value;
    uint32_t least, most;
} table[] = {
    { "address", &settings.address, 0, 0xFFFD }, /* 0xFFFE and 0xFFFF mean something else: IEEE 802.15.4 7.2.1.4 */
    { "peer", &settings.peer, 0, 0xFFFD },
    { "channel", &settings.channel, RADIO_CHANNEL_FIRST, RADIO_CHANNEL_LAST },
    { "interval_us", &settings.interval_us, 1000, 1000000000 },
    { "payload", &settings.payload, 8, 64 },
    { "backoff", &settings.backoff, 0, 1 },
    { "seed", &settings.seed, 0, UINT32_MAX },
    { "timeout_us", &settings.timeout_us, 1000, 1000000000 },
};

enum setting_result settings_set(const char *key, uint32_t key_length, uint32_t value)
{
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strlen(table[i].key) == key_length && memcmp(table[i].key, key, key_length) == 0) {
            if (value < table[i].least || value > table[i].most) {
                return SETTING_OUT_OF_RANGE;
            }
            *table[i].value = value;
            return SETTING_DONE;
        }
    }
    return SETTING_UNKNOWN;
}
