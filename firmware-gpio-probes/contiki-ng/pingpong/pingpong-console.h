/** The host's side, line by line, in the words of firmware-gpio-probes/README.md where the two agree. */
#ifndef PINGPONG_CONSOLE_H
#define PINGPONG_CONSOLE_H

#include <stdbool.h>

#include "contiki.h"
#include "net/linkaddr.h"

enum application { PINGPONG, BROADCAST, INTERFERER };

#define PAYLOAD_MIN 8
#define PAYLOAD_MAX 64

struct settings {
    linkaddr_t peer;
    enum application application;
    uint32_t interval_us;
    uint32_t timeout_us;
    uint16_t payload;
    bool events_sched, events_task, events_queue; /* these groups of events, too */
};

extern struct settings settings;

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
