/** What the host can set, by name. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdint.h>

struct settings {
    uint32_t address;     /* own short address */
    uint32_t peer;        /* short address of the node to ping */
    uint32_t channel;     /* of the radio */
    uint32_t interval_us; /* from request to request */
    uint32_t payload;     /* bytes of UDP payload, the id in the last two */
    uint32_t backoff;     /* 1: CSMA-CA with its random backoff; 0: backoff exponent 0 */
    uint32_t seed;        /* of the backoff */
    uint32_t timeout_us;  /* from a request to its reply */
};

extern struct settings settings;

enum setting_result { SETTING_DONE, SETTING_UNKNOWN, SETTING_OUT_OF_RANGE };

/** `key` need not end after `key_length`. */
enum setting_result settings_set(const char *key, uint32_t key_length, uint32_t value);

#endif
