/*
 * Trains of packets, one way: settings.train packets, gap_us from one to the next, a train every interval_us. Who gets them
 * takes note.
 *
 * `fire sleep`: when a packet is due, the application is woken and sends it, through all layers. `fire timer`: packets are
 * made and handed down predispatch_us before they are due; the MAC has the next one in the radio, and the alarm's interrupt
 * sends it off.
 */
#include <stddef.h>

#include "app.h"
#include "board_limits.h"
#include "settings.h"
#include "timer.h"

#define BUFFERS (PACKETS / 2u) /* the other half is for what comes in */
#define RETRY_US 1000u         /* when there was no buffer */

static uint16_t sequence;
static uint16_t under_way;
static uint32_t due_us; /* the next departure */
static uint32_t train_us; /* that of its train */
static uint32_t place;    /* in the train */

static bool has_room(void)
{
    return under_way < BUFFERS && under_way < settings.queue;
}

/** When the next packet is to be handed down. */
static uint32_t dispatch_us(void)
{
    return settings.fire == FIRE_TIMER ? due_us - settings.predispatch_us : due_us;
}

static void schedule_next(void)
{
    if (++place < settings.train) {
        due_us += settings.gap_us;
    } else {
        place = 0;
        due_us = train_us = app_next_beat(train_us);
    }
}

static bool send_one(void)
{
    struct packet *packet = app_packet();

    if (packet == NULL) {
        return false;
    }
    sequence = app_next_id(sequence);
    app_fill(packet, APP_ONE_WAY, sequence, (uint16_t)settings.payload);
    packet->unacknowledged = true; /* or the gaps would be as long as their retries */
    packet->departure_us = due_us;
    packet->departure = settings.fire == FIRE_TIMER ? DEPARTURE_TIMED : DEPARTURE_RECORDED;
    under_way++;
    app_send(packet, (uint16_t)settings.peer, OVER_UDP);
    return true;
}

/** Sends what is due, or to be handed down before; then sees to it that this is called again. */
static void advance(void)
{
    while (app_left > 0 && has_room() && timer_reached(timer_now(), dispatch_us())) {
        if (!send_one()) {
            app_beat_at(timer_now() + RETRY_US);
            return;
        }
        app_count_down();
        schedule_next();
    }
    if (app_left == 0 && under_way == 0) {
        app_done();
    } else if (app_left > 0 && has_room()) {
        app_beat_at(dispatch_us());
    }
}

static void start(void)
{
    sequence = 0;
    place = 0;
    due_us = train_us = app_first_beat();
    advance();
}

static void log_sent(const struct packet *packet)
{
    struct line *line = app_line("packet");

    line_pair(line, "seq", packet->id);
    line_pair(line, "due_us", packet->departure_us);
    if (packet->departure == DEPARTURE_KNOWN) {
        line_pair(line, "departed_us", packet->departed_us);
    }
    line_pair(line, "tx_us", packet->sent_us);
    line_pair(line, "done_us", timer_now());
    app_log_fate(line, (enum fate)packet->fate);
}

static void settled(struct packet *packet)
{
    under_way--;
    app_counts.lost += packet->fate == FATE_OK ? 0 : 1;
    log_sent(packet);
    packet_free(packet);
    if (app_is_running()) {
        advance();
    }
}

const struct app app_train = {
    .name = "train", .start = start, .stop = advance, .received = app_take_note, .settled = settled, .beat = advance
};
