#include "settings.h"

#include <stdlib.h>
#include <string.h>

#ifdef LINK_IS_MAC
#define PINGPONG "macping"
#else
#define PINGPONG "pingpong"
#endif

#define X(KEY, ...) static const char *const KEY##_names[] = { __VA_ARGS__, NULL };
SETTINGS_NAMES(X)
#undef X

#define X(KEY, MINIMUM, MAXIMUM, DEFAULT, NAMES) .KEY = DEFAULT,
static const struct settings defaults = { SETTINGS(X) };
#undef X

struct settings settings;

#define X(KEY, ...) " " #KEY
const char *const settings_keys = SETTINGS(X);
#undef X

struct setting {
    const char *key;
    uint32_t *value;
    uint32_t minimum, maximum;
    const char *const *names; /* NULL: a number; NULL ends them */
};

#define X(KEY, MINIMUM, MAXIMUM, DEFAULT, NAMES) { #KEY, &settings.KEY, MINIMUM, MAXIMUM, NAMES },
static const struct setting table[] = { SETTINGS(X) };
#undef X

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

static bool parse_value(const struct setting *setting, const char *text, uint32_t *value)
{
    if (setting->names == NULL) {
        return parse_number(text, value) && *value >= setting->minimum && *value <= setting->maximum;
    }
    for (*value = 0; setting->names[*value] != NULL; (*value)++) {
        if (strcmp(text, setting->names[*value]) == 0) {
            return true;
        }
    }
    return false;
}

enum setting_result settings_set(const char *key, const char *value)
{
    for (unsigned at = 0; at < sizeof table / sizeof table[0]; at++) {
        uint32_t number;

        if (strcmp(key, table[at].key) == 0) {
            if (!parse_value(&table[at], value, &number)) {
                return SETTING_BAD;
            }
            *table[at].value = number;
            return SETTING_DONE;
        }
    }
    return SETTING_UNKNOWN;
}
