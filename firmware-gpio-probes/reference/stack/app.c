#include "app.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "alarm.h"
#include "mac.h"
#include "random.h"
#include "seed.h"
#include "settings.h"
#include "timer.h"
#include "udp.h"
#include "worker.h"

extern const struct app app_pingpong, app_macping, app_print, app_broadcast, app_sender, app_interferer, app_train,
    app_ticker, app_saturate, app_sleeper;
static const struct app *const apps[] = {
    [APP_PINGPONG] = &app_pingpong,   [APP_MACPING] = &app_macping, [APP_PRINT] = &app_print,
    [APP_BROADCAST] = &app_broadcast, [APP_SENDER] = &app_sender,   [APP_INTERFERER] = &app_interferer,
    [APP_TRAIN] = &app_train,         [APP_TICKER] = &app_ticker,
    [APP_SATURATE] = &app_saturate,   [APP_SLEEPER] = &app_sleeper,
};

#define US_PER_S 1000000u
#define BEAT_IN_TURN (PACKET_UP + 1u) /* a message of app_actor to itself */
#define SPACING_STREAM 0x73706163u /* "spac": other numbers than the backoff's of the same seed */

struct app_counts app_counts;
uint32_t app_left;

static struct packet_owner owner = { .actor = &app_actor };
static struct alarm beat = { .to = &app_actor, .signals = APP_SIGNAL_BEAT };
static struct alarm end = { .to = &app_actor, .signals = APP_SIGNAL_END };
static volatile bool running;
static bool to_be_quiet; /* the MAC is to stop, once the application is done */
static uint32_t spacing_state;

static const struct app *chosen(void)
{
    return apps[settings.app];
}

bool app_is_running(void)
{
    return running;
}

void app_start(uint32_t packets)
{
    running = true;
    to_be_quiet = false;
    app_left = packets > 0 ? packets : UINT32_MAX;
    app_counts = (struct app_counts){ .received = app_counts.received }; /* others may have sent already */
    worker_start();
    actor_signal(&app_actor, APP_SIGNAL_START);
}

void app_forget(void)
{
    app_counts = (struct app_counts){ 0 };
}

void app_stop(void)
{
    actor_signal(&app_actor, APP_SIGNAL_STOP);
}

struct packet *app_packet(void)
{
    return packet_alloc_for((uint16_t)(PACKET_HEADROOM + settings.payload));
}

void app_fill(struct packet *packet, char kind, uint16_t id, uint16_t length)
{
    uint8_t *payload;

    packet->start = PACKET_HEADROOM;
    packet->length = length;
    packet->id = id;
    payload = packet_data(packet);
    for (uint16_t i = 0; i + 1 < length; i = (uint16_t)(i + 2)) {
        put_be16(payload + i, id);
    }
    put_be16(payload + length - 2, id);
    payload[0] = (uint8_t)kind;
}

char app_kind(struct packet *packet)
{
    return packet->length >= PAYLOAD_MIN ? (char)packet_data(packet)[0] : '\0';
}

static void address(struct packet *packet, uint16_t destination)
{
    packet->owner = &owner;
    packet->source = (uint16_t)settings.address;
    packet->destination = packet->link_destination = destination;
}

static void pass_down(struct packet *packet, enum app_path path)
{
    if (path == OVER_MAC) {
        *packet_push(packet, 1) = MAC_APPLICATION;
    }
    packet_pass(path == OVER_MAC ? &mac_actor : &udp_actor, PACKET_DOWN, packet);
}

uint32_t app_send(struct packet *packet, uint16_t destination, enum app_path path)
{
    uint16_t id = packet->id;
    uint32_t tx_us;

    address(packet, destination);
    app_counts.sent++;
    packet->sent_us = tx_us = timer_now(); /* the packet may be gone before this returns */
    GPIORIG_ENTER_ID(APP_TX, id);
    pass_down(packet, path);
    GPIORIG_EXIT_ID(APP_TX, id);
    return tx_us;
}

void app_send_again(struct packet *packet, uint16_t destination, enum app_path path)
{
    address(packet, destination);
    pass_down(packet, path);
}

bool app_count_down(void)
{
    if (app_left != UINT32_MAX) {
        app_left--;
    }
    return app_left > 0;
}

void app_beat_at(uint32_t deadline_us)
{
    alarm_set(&beat, deadline_us);
}

bool app_beat_in_turn(void)
{
    return actor_post(&app_actor, (struct message){ .type = BEAT_IN_TURN });
}

uint32_t app_first_beat(void)
{
    return timer_now() + (settings.phase_us > 0 ? settings.phase_us : app_interval_us());
}

uint32_t app_interval_us(void)
{
    if (settings.spacing == SPACING_FIXED) {
        return settings.interval_us;
    }
    return random_distance_us(settings.interval_us, random_draw(&spacing_state));
}

/* What is late does not move the instants that were drawn; a beat in the past is due at once. */
uint32_t app_next_beat(uint32_t last_due_us)
{
    uint32_t due_us = last_due_us + app_interval_us();

    if (settings.spacing == SPACING_FIXED && timer_reached(timer_now(), due_us)) {
        return timer_now() + settings.interval_us;
    }
    return due_us;
}

struct line *app_line(const char *word)
{
    static struct line line; /* too long for the stack of an actor */

    line.length = 0;
    line_text(&line, word);
    return &line;
}

void app_log_fate(struct line *line, enum fate fate)
{
    line_text(line, fate == FATE_OK ? " status=ok" : " status=lost reason=");
    line_text(line, fate == FATE_OK ? "" : fate_name((uint8_t)fate));
    line_send(line);
}

void app_take_note(struct packet *packet, uint32_t now_us)
{
    char kind = app_kind(packet);
    struct line *line;

    app_counts.received += kind == APP_ONE_WAY || kind == APP_UNLOGGED ? 1 : 0;
    if (kind == APP_ONE_WAY) {
        line = app_line("packet");
        line_pair(line, "seq", packet->id);
        line_pair(line, "from", packet->source);
        line_pair(line, "radio_us", packet->received_us);
        line_pair(line, "rx_us", now_us);
        app_log_fate(line, FATE_OK);
    }
    packet_free(packet);
}

void app_done(void)
{
    struct line *line = app_line("done");

    alarm_cancel(&beat);
    alarm_cancel(&end);
    worker_stop();
    running = false;
    if (to_be_quiet) {
        actor_signal(&mac_actor, MAC_SIGNAL_STOP);
    }
    line_pair(line, "sent", app_counts.sent);
    line_pair(line, "received", app_counts.received);
    line_pair(line, "lost", app_counts.lost);
    line_pair(line, "probes", gpiorig_frames());
    line_send(line);
}

static void receive(struct packet *packet)
{
    uint16_t id = packet->id;
    uint32_t now_us = timer_now();

    GPIORIG_ENTER_ID(APP_RX, id);
    chosen()->received(packet, now_us);
    GPIORIG_EXIT_ID(APP_RX, id);
}

static void start(void)
{
    if (settings.duration_s > 0) {
        alarm_set(&end, timer_now() + settings.duration_s * US_PER_S);
    }
    spacing_state = mix_seed(settings.seed ^ SPACING_STREAM, (uint16_t)settings.address) | 1u; /* xorshift never leaves 0 */
    chosen()->start();
}

/** No more packets. */
static void stop(void)
{
    if (running && app_left > 0) {
        app_left = 0;
        alarm_cancel(&beat);
        chosen()->stop();
    }
}

static void be_quiet(void)
{
    to_be_quiet = true;
    if (running) {
        stop(); /* the rest follows in app_done */
    } else {
        actor_signal(&mac_actor, MAC_SIGNAL_STOP);
    }
}

static void handle_signals(uint16_t bits)
{
    uint16_t own = bits & (uint16_t) ~(APP_SIGNAL_START | APP_SIGNAL_STOP | APP_SIGNAL_BEAT | APP_SIGNAL_END | PACKET_SETTLED);
    struct packet *packet;

    if ((bits & APP_SIGNAL_START) != 0) {
        start();
    }
    while ((packet = packet_queue_take(&owner.settled)) != NULL) {
        chosen()->settled(packet);
    }
    if (own != 0 && chosen()->signal != NULL) {
        chosen()->signal(own);
    }
    if ((bits & APP_SIGNAL_BEAT) != 0 && running && app_left > 0) {
        chosen()->beat();
    }
    if ((bits & APP_SIGNAL_END) != 0) {
        stop();
    }
    if ((bits & APP_SIGNAL_STOP) != 0) {
        be_quiet();
    }
}

static void handle(const struct message *message)
{
    if (message->type == PACKET_UP) {
        receive(message->content);
    } else if (message->type == BEAT_IN_TURN) {
        if (running && app_left > 0) {
            chosen()->beat();
        }
    } else {
        handle_signals(message->value);
    }
}

ACTOR(app_actor, ACTOR_APP, handle, 7, STACK_BYTES(512u));
