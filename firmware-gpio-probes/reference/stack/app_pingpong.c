/*
 * Ping-pong: the initiator sends numbered requests and awaits a reply to each; any other node replies at once to what it
 * gets. Over UDP, over the bare MAC (macping), or with a responder that prints before it replies (print).
 */
#include <stddef.h>

#include "alarm.h"
#include "app.h"
#include "settings.h"
#include "timer.h"

#define REQUEST 'Q'
#define REPLY 'R'
#define SIGNAL_RESULT APP_SIGNAL_OWN(0)
#define SIGNAL_TIMEOUT APP_SIGNAL_OWN(1)
#define SIGNAL_REPEAT APP_SIGNAL_OWN(2)

/** The one packet in flight: from its request (or, at the responder, its reply) to its line in the log. */
static struct {
    enum { NONE, IN_FLIGHT, TO_LOG } phase;
    uint16_t sequence;
    uint32_t tx_us, rx_us;
    enum fate fate;
    bool settled; /* what was sent */
    bool expired;
} flight;

static uint16_t sequence;
static uint32_t due_us;
static bool overdue; /* a request was due while one was in flight */

static struct alarm timeout = { .to = &app_actor, .signals = SIGNAL_TIMEOUT };
static struct alarm repetition = { .to = &app_actor, .signals = SIGNAL_REPEAT };

static enum app_path path(void)
{
    return settings.app == APP_MACPING ? OVER_MAC : OVER_UDP;
}

static void conclude(enum fate fate)
{
    alarm_cancel(&timeout);
    alarm_cancel(&repetition);
    flight.fate = fate;
    flight.phase = TO_LOG;
    actor_signal(&app_actor, SIGNAL_RESULT);
}

static void transmit(struct packet *packet, uint16_t destination)
{
    flight.phase = IN_FLIGHT;
    flight.sequence = packet->id;
    flight.settled = false;
    flight.expired = false;
    flight.tx_us = app_send(packet, destination, path());
}

/** The line of the packet has this timestamp, too, but comes with the reply. */
static void announce(void)
{
    struct line *line = app_line("sent");

    line_pair(line, "seq", flight.sequence);
    line_pair(line, "tx_us", flight.tx_us);
    line_send(line);
}

static void repeat_later(uint32_t since_us)
{
    if (settings.repeat_us > 0) {
        alarm_set(&repetition, since_us + settings.repeat_us);
    }
}

/** The request again, which has no reply yet. */
static void repeat(void)
{
    struct packet *packet;

    if (flight.phase != IN_FLIGHT || !app_is_running() || (packet = app_packet()) == NULL) {
        return;
    }
    app_fill(packet, REQUEST, flight.sequence, (uint16_t)settings.payload);
    app_send_again(packet, (uint16_t)settings.peer, path());
    repeat_later(timer_now());
}

static void send_request(void)
{
    struct packet *packet = app_packet();

    overdue = false;
    sequence = app_next_id(sequence);
    if (packet == NULL) {
        flight.sequence = sequence;
        flight.tx_us = timer_now();
        app_counts.sent++;
        conclude(FATE_QUEUE);
    } else {
        app_fill(packet, REQUEST, sequence, (uint16_t)settings.payload);
        transmit(packet, (uint16_t)settings.peer);
        alarm_set(&timeout, flight.tx_us + settings.timeout_us);
        repeat_later(flight.tx_us);
        if (settings.announce != 0) {
            announce();
        }
    }
    if (app_count_down()) {
        due_us = app_next_beat(due_us);
        app_beat_at(due_us);
    }
}

static void start(void)
{
    sequence = 0;
    overdue = false;
    due_us = app_first_beat();
    app_beat_at(due_us);
}

static void stop(void)
{
    if (flight.phase == NONE) {
        app_done();
    }
}

static void beat(void)
{
    if (flight.phase == NONE) {
        send_request();
    } else {
        overdue = true;
    }
}

/** The request, or the reply, is out, or will never be. */
static void settled(struct packet *packet)
{
    enum fate fate = (enum fate)packet->fate;
    bool ours = flight.phase == IN_FLIGHT && packet->id == flight.sequence;

    packet_free(packet);
    if (!ours) {
        return;
    }
    flight.settled = true;
    if ((fate != FATE_OK && settings.repeat_us == 0) || !app_is_running()) {
        conclude(fate);
    } else if (flight.expired) {
        conclude(FATE_TIMEOUT);
    }
}

/** As many bytes as `set print` gives, in one line, before the reply: what printf does to a stack. */
static void print(uint16_t id)
{
    struct line *line = app_line("print");

    line_pair(line, "seq", id);
    line_text(line, " text=");
    while (line->length + 1 < settings.print) {
        line_text(line, "x");
    }
    line_send(line);
}

static void receive(struct packet *packet, uint32_t now_us)
{
    char kind = app_kind(packet);

    if (app_is_running() && kind == REPLY && flight.phase == IN_FLIGHT && packet->id == flight.sequence) {
        app_counts.received++;
        flight.rx_us = now_us;
        conclude(FATE_OK);
    } else if (!app_is_running() && kind == REQUEST && flight.phase == NONE) {
        app_counts.received++;
        flight.rx_us = now_us;
        if (settings.app == APP_PRINT) {
            print(packet->id);
        }
        app_fill(packet, REPLY, packet->id, packet->length);
        transmit(packet, packet->source);
        return;
    }
    packet_free(packet);
}

/** Time is up: for the reply, or for a transmission that has to end first. */
static void expire(void)
{
    if (flight.phase == IN_FLIGHT && flight.settled) {
        conclude(FATE_TIMEOUT);
    } else {
        flight.expired = true;
    }
}

static void log_packet(void)
{
    struct line *line = app_line("packet");
    bool is_initiator = app_is_running();

    line_pair(line, "seq", flight.sequence);
    if (!is_initiator) {
        line_pair(line, "rx_us", flight.rx_us);
    }
    line_pair(line, "tx_us", flight.tx_us);
    if (is_initiator && flight.fate == FATE_OK) {
        line_pair(line, "rx_us", flight.rx_us);
    }
    if (is_initiator) {
        app_log_fate(line, flight.fate);
    } else {
        line_text(line, " status=");
        line_text(line, fate_name((uint8_t)flight.fate));
        line_send(line);
    }
}

static void finish_packet(void)
{
    app_counts.lost += flight.fate == FATE_OK ? 0 : 1;
    log_packet();
    flight.phase = NONE;
    if (app_is_running() && app_left == 0) {
        app_done();
    } else if (overdue) {
        send_request();
    }
}

static void handle(uint16_t bits)
{
    if ((bits & SIGNAL_RESULT) != 0 && flight.phase == TO_LOG) {
        finish_packet();
    }
    if ((bits & SIGNAL_TIMEOUT) != 0) {
        expire();
    }
    if ((bits & SIGNAL_REPEAT) != 0) {
        repeat();
    }
}

#define PINGPONG(its_name)                                                                                        \
    {                                                                                                             \
        .name = its_name, .start = start, .stop = stop, .received = receive, .settled = settled, .beat = beat, \
        .signal = handle                                                                                          \
    }

const struct app app_pingpong = PINGPONG("pingpong");
const struct app app_macping = PINGPONG("macping");
const struct app app_print = PINGPONG("print");
