/* Generated from firmware-gpio-probes/settings.toml by `make generate`. Do not edit. */
#ifndef SETTINGS_TABLE_H
#define SETTINGS_TABLE_H

enum app_number { APP_pingpong, APP_broadcast, APP_print, APP_interferer, APP_train, APP_sleeper };

/* X(key, names): the names of each setting that has some, in the order of their numbers */
#define SETTINGS_NAMES(X) \
    X(app, PINGPONG, "broadcast", "print", "interferer", "train", "sleeper")

/* X(key, minimum, maximum, default, names), names: NULL or KEY_names */
#define SETTINGS(X) \
    X(address, 1u, 65532u, 1u, NULL) \
    X(peer, 1u, 65532u, 2u, NULL) \
    X(channel, 11u, 26u, 26u, NULL) \
    X(interval_us, 1000u, 1000000000u, 20000u, NULL) \
    X(timeout_us, 1000u, 1000000000u, 15000u, NULL) \
    X(payload, PAYLOAD_LEAST, PAYLOAD_MOST, 32u, NULL) \
    X(csma, 0u, 1u, 1u, NULL) \
    X(backoff, 0u, 1u, 1u, NULL) \
    X(backoff_exponent, 0u, 5u, 3u, NULL) \
    X(seed, 0u, 4294967295u, 1u, NULL) \
    X(app, 0u, 5u, DEFAULT_APP, app_names) \
    X(print, 24u, 150u, 64u, NULL) \
    X(train, 1u, 1000u, 2u, NULL) \
    X(duration_s, 0u, 2000u, 0u, NULL) \
    X(events_sched, 0u, 1u, 0u, NULL) \
    X(events_task, 0u, 1u, 0u, NULL) \
    X(events_queue, 0u, 1u, 0u, NULL) \
    X(events_timer, 0u, 1u, 0u, NULL)

#endif
