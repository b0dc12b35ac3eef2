/*
 * As many packets as the stack takes: `window` under way, the next as soon as one is settled. Neither side logs single packets,
 * whose lines would take longer than the packets.
 */
#include <stddef.h>

#include "app.h"
#include "settings.h"
#include "timer.h"

#define RETRY_US 1000u /* after a lack of buffers, or a full queue */

static uint16_t sequence;
static uint16_t under_way;
static uint16_t turns; /* packets that are settled, and whose next waits for its turn */

static void fill(void)
{
    while (app_left > 0 && under_way + turns < settings.window) {
        struct packet *packet = app_packet();

        if (packet == NULL) {
            app_beat_at(timer_now() + RETRY_US);
            return;
        }
        sequence = app_next_id(sequence);
        app_fill(packet, APP_UNLOGGED, sequence, (uint16_t)settings.payload);
        under_way++;
        app_send(packet, (uint16_t)settings.peer, OVER_UDP);
        app_count_down();
    }
    if (app_left == 0 && under_way == 0) {
        app_done();
    }
}

static void start(void)
{
    sequence = 0;
    turns = 0;
    app_beat_at(app_first_beat());
}

static void beat(void)
{
    turns -= turns > 0 ? 1 : 0;
    fill();
}

static void settled(struct packet *packet)
{
    enum fate fate = (enum fate)packet->fate;

    packet_free(packet);
    under_way--;
    app_counts.lost += fate == FATE_OK ? 0 : 1;
    if (!app_is_running()) {
        return;
    }
    if (app_left == 0) {
        fill();
    } else if (fate != FATE_QUEUE && app_beat_in_turn()) {
        turns++;
    } else {
        app_beat_at(timer_now() + RETRY_US);
    }
}

const struct app app_saturate = {
    .name = "saturate", .start = start, .stop = fill, .received = app_take_note, .settled = settled, .beat = beat
};
