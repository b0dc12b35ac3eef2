/** What the host sets. Names, units and defaults are those of the reference firmware, where it has them. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define PAN 0x6770u
#define PAYLOAD_LEAST 8u
#ifndef PAYLOAD_MOST
#define PAYLOAD_MOST 512u
#endif

enum app { APP_pingpong, APP_broadcast, APP_print, APP_interferer, APP_train, APPS };

struct settings {
    uint32_t app, address, peer, channel, interval_us, timeout_us, payload, backoff, csma, seed;
    uint32_t print; /* characters printed for each packet by the application print */
    uint32_t train;  /* packets in a train */
    uint32_t events_sched, events_task, events_queue, events_timer; /* 1: these groups of events, too */
    uint32_t duration_s; /* of a run; 0: as long as there are packets */
};

extern struct settings settings;
extern const char *const app_names[APPS];

enum setting_result { SETTING_DONE, SETTING_UNKNOWN, SETTING_BAD };

/** All as they are after reset. */
void settings_reset(void);

/** Sets one to a number or, `app`, a name. */
enum setting_result settings_set(const char *key, const char *value);

/** Decimal, or hexadecimal after 0x; the whole text. */
bool parse_number(const char *text, uint32_t *number);

#endif
