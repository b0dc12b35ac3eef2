/** The host's side, line by line as in firmware-gpio-probes/README.md: settings, start, report. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

#include "contiki.h"
#include "net/linkaddr.h"

enum application { PINGPONG, BROADCAST, INTERFERER };

#define PAYLOAD_MAX 64

struct settings {
    linkaddr_t peer;
    enum application application;
    uint32_t interval_us;
    uint32_t timeout_us;
    uint16_t payload;
};

extern struct settings settings;

/** Answers a command with one line; true: it was `start`, of so many packets. */
bool console_command(char *line, uint16_t *packets);

/** The answer to `report` is the application's. */
void print_report(void);

void print_node(const linkaddr_t *node);

#endif
