/* Generated from firmware-gpio-probes/settings.toml by `make generate`. Do not edit. */
#ifndef SETTINGS_TABLE_H
#define SETTINGS_TABLE_H

enum spacing_number { SPACING_FIXED, SPACING_POISSON };
enum finish_number { FINISH_INTERRUPT, FINISH_BUSY };
enum app_number { APP_PINGPONG, APP_MACPING, APP_PRINT, APP_BROADCAST, APP_SENDER, APP_INTERFERER, APP_TRAIN, APP_TICKER, APP_SATURATE, APP_SLEEPER };
enum mac_number { MAC_CSMA, MAC_TDMA, MAC_SLOTS };
enum fire_number { FIRE_SLEEP, FIRE_TIMER };
enum loopback_number { LOOPBACK_OFF, LOOPBACK_IPV6, LOOPBACK_MAC };
enum radio_profile_number { RADIO_PROFILE_DEFAULT, RADIO_PROFILE_YETIMOTE };

/* X(key, names): the names of each setting that has some, in the order of their numbers */
#define SETTINGS_NAMES(X, IF_RADIO_PROFILES) \
    X(spacing, "fixed", "poisson") \
    X(finish, "interrupt", "busy") \
    X(app, "pingpong", "macping", "print", "broadcast", "sender", "interferer", "train", "ticker", "saturate", "sleeper") \
    X(mac, "csma", "tdma", "slots") \
    X(fire, "sleep", "timer") \
    X(loopback, "off", "ipv6", "mac") \
    X(slot_us, "10000", "15000", "20000") \
    IF_RADIO_PROFILES(radio_profile, "default", "yetimote")

/* X(key, minimum, maximum, default, names), names: NULL or KEY_names; IF_MACRO is X where the macro is not 0 */
#define SETTINGS(X, IF_GPIORIG_LOG, IF_RADIO_PROFILES) \
    X(address, 1u, 65532u, 1u, NULL) \
    X(peer, 1u, 65532u, 2u, NULL) \
    X(channel, RADIO_CHANNEL_FIRST, RADIO_CHANNEL_LAST, RADIO_CHANNEL_DEFAULT, NULL) \
    X(interval_us, 1000u, 1000000000u, 20000u, NULL) \
    X(spacing, 0u, 1u, 0u, spacing_names) \
    X(phase_us, 0u, 1000000000u, 0u, NULL) \
    X(timeout_us, 1000u, 1000000000u, 15000u, NULL) \
    X(repeat_us, 0u, 1000000000u, 0u, NULL) \
    X(payload, PAYLOAD_MIN, PAYLOAD_MAX, 32u, NULL) \
    X(csma, 0u, 1u, 1u, NULL) \
    X(backoff, 0u, 1u, 1u, NULL) \
    X(backoff_exponent, RADIO_EXPONENT_LEAST, RADIO_EXPONENT_MOST, 3u, NULL) \
    X(finish, 0u, 1u, 0u, finish_names) \
    X(seed, 0u, 4294967295u, 1u, NULL) \
    X(queue, 1u, QUEUE_LENGTH_MAX, 8u, NULL) \
    X(app, 0u, 9u, 0u, app_names) \
    X(mac, 0u, 2u, 0u, mac_names) \
    X(print, 24u, 150u, 64u, NULL) \
    X(announce, 0u, 1u, 0u, NULL) \
    X(window, 1u, PACKETS, 1u, NULL) \
    X(train, 1u, 1000u, 2u, NULL) \
    X(gap_us, 0u, 1000000000u, 0u, NULL) \
    X(fire, 0u, 1u, 0u, fire_names) \
    X(predispatch_us, 0u, 1000000000u, 1000000000u, NULL) \
    X(heartbeat_us, 0u, 1000000000u, 0u, NULL) \
    IF_GPIORIG_LOG(log, 0u, 1u, 0u, NULL) \
    X(duration_s, 0u, 2000u, 0u, NULL) \
    X(events_sched, 0u, 1u, 0u, NULL) \
    X(events_task, 0u, 1u, 0u, NULL) \
    X(events_queue, 0u, 1u, 0u, NULL) \
    X(events_timer, 0u, 1u, 0u, NULL) \
    X(events_slot, 0u, 1u, 0u, NULL) \
    X(loopback, 0u, 2u, 0u, loopback_names) \
    X(next_hop, 0u, 65532u, 0u, NULL) \
    X(gateway, 0u, 1u, 0u, NULL) \
    X(rdc, 10u, 20u, 10u, NULL) \
    X(sync_us, 100000u, 100000000u, 10000000u, NULL) \
    X(slotframe, 3u, 101u, 11u, NULL) \
    X(slot_us, 0u, 2u, 0u, slot_us_names) \
    X(hopping, 0u, 1u, 0u, NULL) \
    X(layer_priority, 0u, PRIORITIES, 0u, NULL) \
    X(worker_a_on_us, 0u, 1000000000u, 0u, NULL) \
    X(worker_a_period_us, 1000u, 1000000000u, 100000u, NULL) \
    X(worker_a_phase_us, 0u, 1000000000u, 0u, NULL) \
    X(worker_a_priority, 1u, PRIORITIES, PRIORITIES, NULL) \
    X(worker_b_on_us, 0u, 1000000000u, 0u, NULL) \
    X(worker_b_period_us, 1000u, 1000000000u, 100000u, NULL) \
    X(worker_b_phase_us, 0u, 1000000000u, 0u, NULL) \
    X(worker_b_priority, 1u, PRIORITIES, PRIORITIES, NULL) \
    IF_RADIO_PROFILES(radio_profile, 0u, 1u, 0u, radio_profile_names) \
    X(sync_task, 0u, 1u, 0u, NULL) \
    X(flood_us, 0u, 1000000000u, 0u, NULL)

#endif
