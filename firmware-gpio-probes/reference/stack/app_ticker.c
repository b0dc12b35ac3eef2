/*
 * A line every interval, and nothing on the air: how well the timer, the serial line and the host keep an interval. The line is
 * that of a packet that is sent, so that its readers know it. The sleeper counts its interval from the end of its work, as a
 * loop of print and sleep does.
 */
#include "gpiorig/probe.h"

#include "app.h"
#include "timer.h"

static uint16_t sequence;
static uint32_t due_us;

static void print(void)
{
    struct line *line = app_line("packet");
    uint32_t now_us = timer_now();

    GPIORIG_ENTER_ID(APP_TX, sequence);
    line_pair(line, "seq", sequence);
    line_pair(line, "tx_us", now_us);
    app_log_fate(line, FATE_OK);
    GPIORIG_EXIT_ID(APP_TX, sequence);
}

/** False after the last line. */
static bool print_next(void)
{
    sequence = app_next_id(sequence);
    app_counts.sent++;
    print();
    return app_count_down();
}

static void beat(void)
{
    if (print_next()) {
        due_us = app_next_beat(due_us);
        app_beat_at(due_us);
    } else {
        app_done();
    }
}

static void beat_and_sleep(void)
{
    if (print_next()) {
        app_beat_at(timer_now() + app_interval_us());
    } else {
        app_done();
    }
}

static void start(void)
{
    sequence = 0;
    due_us = app_first_beat();
    app_beat_at(due_us);
}

/** Its packets never come back. */
static void settled(struct packet *packet)
{
    packet_free(packet);
}

const struct app app_ticker = {
    .name = "ticker", .start = start, .stop = app_done, .received = app_take_note, .settled = settled, .beat = beat
};

const struct app app_sleeper = {
    .name = "sleeper", .start = start, .stop = app_done, .received = app_take_note, .settled = settled, .beat = beat_and_sleep
};
