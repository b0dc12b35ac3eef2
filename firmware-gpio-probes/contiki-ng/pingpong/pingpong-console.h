/** The host's side, line by line: the serial protocol of docs/reference/reference-firmware.md, as far as it applies. */
#ifndef PINGPONG_CONSOLE_H
#define PINGPONG_CONSOLE_H

#include <stdbool.h>

#include "contiki.h"
#include "net/linkaddr.h"
#include "settings_table.h"

#if MAC_CONF_WITH_TSCH
#define SETTINGS_HERE(X) SETTINGS(X, X)
#else
#define SETTINGS_OMIT(...)
#define SETTINGS_HERE(X) SETTINGS(X, SETTINGS_OMIT)
#endif

#define PAYLOAD_MIN 8
#define PAYLOAD_MAX 64

/* Numbers (firmware-gpio-probes/settings.toml); a name has the number of its place. */
struct settings {
#define X(KEY, ...) uint32_t KEY;
    SETTINGS_HERE(X)
#undef X
};

extern struct settings settings;

/** A local EUI-64, from a short address. */
linkaddr_t node_of(uint16_t short_address);

void print_node(const linkaddr_t *node);

/** What the application does for the console. */
struct console_callbacks {
    void (*stop)(void);   /* nothing more is sent */
    void (*report)(void); /* prints the answer to `report` */
};

/** The node's address is that of its hardware until `set address`. */
void console_open(const struct console_callbacks *callbacks);

/** Answers a command with one line; true: it was `start`, with this number of packets. */
bool console_command(char *line, uint16_t *packets);

#endif
