/*
 * One-way packets; who gets them takes note. `sender`: to the peer, the next one an interval after the one before was
 * settled, or, with a window, up to N under way, an interval apart. `broadcast`: to all, at a fixed rate.
 * `interferer`: frames that no node takes, at a fixed rate.
 */
#include <stddef.h>

#include "app.h"
#include "mac.h"
#include "settings.h"
#include "timer.h"

#define NO_NODE 0xFFFDu /* an address that no node can have (settings.c) */

#define SENDERS 24u
#define PACKET_IDS 0xF000u /* those above are frames of the MAC's own */

static uint16_t sequence;
static uint16_t under_way;
static uint32_t due_us;
static bool is_due; /* but too many are under way */

static uint32_t most_under_way(void)
{
    return settings.app == APP_SENDER ? settings.window : 1;
}

static bool has_fixed_rate(void)
{
    return settings.app != APP_SENDER;
}

static void log_sent(uint16_t id, uint32_t tx_us, enum fate fate)
{
    struct line *line;

    if (settings.app == APP_INTERFERER) {
        return;
    }
    line = app_line("packet");
    line_pair(line, "seq", id);
    line_pair(line, "tx_us", tx_us);
    line_pair(line, "done_us", timer_now());
    app_log_fate(line, fate);
}

static void send_one(void)
{
    struct packet *packet = app_packet();

    is_due = false;
    sequence = app_next_id(sequence);
    if (packet == NULL) {
        app_counts.sent++;
        app_counts.lost++;
        log_sent(sequence, timer_now(), FATE_QUEUE);
        return;
    }
    app_fill(packet, APP_ONE_WAY, sequence, (uint16_t)settings.payload);
    packet->unacknowledged = settings.app == APP_INTERFERER;
    under_way++;
    if (settings.app == APP_INTERFERER) {
        app_send(packet, NO_NODE, OVER_MAC);
    } else {
        app_send(packet, settings.app == APP_BROADCAST ? MAC_BROADCAST : (uint16_t)settings.peer, OVER_UDP);
    }
}

/** Sends, and sets the beat for the next one, unless that waits for this one to be settled. */
static void advance(void)
{
    send_one();
    if (app_count_down()) {
        if (has_fixed_rate() || under_way < most_under_way()) {
            due_us = app_next_beat(due_us);
            app_beat_at(due_us);
        } else {
            is_due = true;
        }
    } else if (under_way == 0) {
        app_done();
    }
}

/** Numbers of nodes that send at the same time are far apart, so that each packet is known by its number. */
static void start(void)
{
    sequence = (uint16_t)((settings.address - 1u) % SENDERS * (PACKET_IDS / SENDERS));
    is_due = false;
    due_us = app_first_beat();
    app_beat_at(due_us);
}

static void stop(void)
{
    if (under_way == 0) {
        app_done();
    }
}

static void beat(void)
{
    if (under_way < most_under_way()) {
        advance();
    } else {
        is_due = true;
    }
}

static void settled(struct packet *packet)
{
    enum fate fate = (enum fate)packet->fate;
    uint16_t id = packet->id;
    uint32_t sent_us = packet->sent_us;

    packet_free(packet);
    under_way--;
    app_counts.lost += fate == FATE_OK ? 0 : 1;
    log_sent(id, sent_us, fate);
    if (!app_is_running()) {
        return;
    }
    if (app_left == 0) {
        if (under_way == 0) {
            app_done();
        }
    } else if (is_due && has_fixed_rate()) {
        advance();
    } else if (is_due) {
        is_due = false;
        due_us = timer_now() + app_interval_us();
        app_beat_at(due_us);
    }
}

#define STREAM(its_name) \
    { .name = its_name, .start = start, .stop = stop, .received = app_take_note, .settled = settled, .beat = beat }

const struct app app_broadcast = STREAM("broadcast");
const struct app app_sender = STREAM("sender");
const struct app app_interferer = STREAM("interferer");
