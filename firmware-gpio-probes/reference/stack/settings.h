/** What the host can set, by name (firmware-gpio-probes/settings.toml). */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "line.h"
#include "settings_table.h"

/* Numbers; a name has the number of its place. */
struct settings {
#define X(KEY, ...) uint32_t KEY;
    SETTINGS(X, X, X)
#undef X
};

extern struct settings settings;

/** All settings to their defaults; also to be called at boot. */
void settings_reset(void);

/**
 * Sets "KEY VALUE", a number (decimal or 0x) or a name, and writes the answer: "ok set KEY=VALUE", or an error that names what
 * is valid. False: nothing was set.
 */
bool settings_set(const char *arguments, struct line *answer);

/** A decimal number, or 0x and a hexadecimal one, that fills the text and fits 32 bits. */
bool parse_number(const char *text, uint32_t *number);

#endif
