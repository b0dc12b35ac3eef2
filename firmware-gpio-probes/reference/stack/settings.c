#include "settings.h"

#include <stddef.h>
#include <string.h>

#include "gpiorig/options.h"

#include "board_limits.h"
#include "kernel.h"
#include "packet.h"
#include "radio_limits.h"

#if GPIORIG_LOG
#define WITH_LOG X
#else
#define WITH_LOG(...)
#endif

#if RADIO_PROFILES
#define WITH_PROFILES X
#else
#define WITH_PROFILES(...)
#endif

#define X(KEY, ...) static const char *const KEY##_names[] = { __VA_ARGS__, NULL };
SETTINGS_NAMES(X, WITH_PROFILES)
#undef X

#define X(KEY, MINIMUM, MAXIMUM, DEFAULT, NAMES) .KEY = DEFAULT,
static const struct settings defaults = { SETTINGS(X, WITH_LOG, WITH_PROFILES) };
#undef X

struct settings settings;

void settings_reset(void)
{
    settings = defaults;
}

struct setting {
    const char *key;
    uint32_t *value;
    uint32_t minimum, maximum; /* of a number */
    const char *const *names;  /* of an enumeration, or NULL; NULL ends them */
};

#define X(KEY, MINIMUM, MAXIMUM, DEFAULT, NAMES) { #KEY, &settings.KEY, MINIMUM, MAXIMUM, NAMES },
static const struct setting table[] = { SETTINGS(X, WITH_LOG, WITH_PROFILES) };
#undef X
#define ROWS (sizeof table / sizeof table[0])

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
    for (unsigned i = 0; i < ROWS; i++) {
        if (strlen(table[i].key) == length && memcmp(table[i].key, key, length) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static bool parse_value(const struct setting *setting, const char *text, uint32_t *value)
{
    if (setting->names == NULL) {
        return parse_number(text, value) && *value >= setting->minimum && *value <= setting->maximum;
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
        line_number(line, setting->minimum);
        line_text(line, " to ");
        line_number(line, setting->maximum);
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
    for (unsigned i = 0; i < ROWS; i++) {
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
