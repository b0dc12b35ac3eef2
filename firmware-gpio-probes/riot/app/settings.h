/** What the host sets (firmware-gpio-probes/settings.toml). */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "settings_table.h"

#define PAN 0x6770u
#define PAYLOAD_LEAST 8u
#ifndef PAYLOAD_MOST
#define PAYLOAD_MOST 512u
#endif

/* Numbers; a name has the number of its place. */
struct settings {
#define X(KEY, ...) uint32_t KEY;
    SETTINGS(X)
#undef X
};

extern struct settings settings;
extern const char *const settings_keys; /* all of them, a blank before each */

enum setting_result { SETTING_DONE, SETTING_UNKNOWN, SETTING_BAD };

/** All as they are after reset. */
void settings_reset(void);

/** Sets one to a number or a name. */
enum setting_result settings_set(const char *key, const char *value);

/** Decimal, or hexadecimal after 0x; the whole text. */
bool parse_number(const char *text, uint32_t *number);

#endif
