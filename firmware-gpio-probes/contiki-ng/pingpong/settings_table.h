/* Generated from firmware-gpio-probes/settings.toml by `make generate`. Do not edit. */
#ifndef SETTINGS_TABLE_H
#define SETTINGS_TABLE_H

enum app_number { APP_PINGPONG, APP_BROADCAST, APP_INTERFERER };

/* X(key, names): the names of each setting that has some, in the order of their numbers */
#define SETTINGS_NAMES(X) \
    X(app, "pingpong", "broadcast", "interferer")

/* X(key, minimum, maximum, default, names), names: NULL or KEY_names; IF_MACRO is X where the macro is not 0 */
#define SETTINGS(X, IF_MAC_CONF_WITH_TSCH) \
    X(address, 1u, 65532u, 1u, NULL) \
    X(peer, 1u, 65532u, 2u, NULL) \
    X(channel, 11u, 26u, 26u, NULL) \
    X(interval_us, 1000u, 1000000000u, 200000u, NULL) \
    X(timeout_us, 1000u, 1000000000u, 100000u, NULL) \
    X(payload, PAYLOAD_MIN, PAYLOAD_MAX, 32u, NULL) \
    X(backoff, 1u, 1u, 1u, NULL) \
    X(seed, 0u, 4294967295u, 1u, NULL) \
    X(app, 0u, 2u, 0u, app_names) \
    X(events_sched, 0u, 1u, 1u, NULL) \
    X(events_task, 0u, 1u, 1u, NULL) \
    X(events_queue, 0u, 1u, 1u, NULL) \
    IF_MAC_CONF_WITH_TSCH(coordinator, 0u, 1u, 0u, NULL)

#endif
