#include "app.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "line.h"
#include "mac.h"
#include "radio.h"
#include "radio_limits.h"
#include "settings.h"
#include "timer.h"
#include "udp.h"

/* Signals of mac_actor, besides the radio's. */
#define SIGNAL_SEND SIGNAL(1)    /* a request is due */
#define SIGNAL_TIMEOUT SIGNAL(2) /* time is up for a reply */
#define SIGNAL_RESULT SIGNAL(3)  /* a packet's fate is known and to be logged */

#define PAN 0x6770u
#define REQUEST 'Q' /* first byte of the payload */
#define REPLY 'R'
#define PAYLOAD_LEAST 8u

enum fate { OK, NO_ACK, BUSY, TIMEOUT };
static const char *const fate_names[] = { "ok", "no_ack", "busy", "timeout" };

/** The one packet in flight: from its request (or, at the responder, its reply) to its line in the log. */
static struct {
    enum { NONE, IN_FLIGHT, TO_LOG } phase;
    uint16_t sequence;
    uint32_t tx_us, rx_us;
    enum fate fate;
    bool expired;
} flight;

static struct {
    bool active;
    bool overdue; /* a request was due while one was in flight */
    uint32_t left;
    uint16_t sequence;
    uint32_t due_us;
} run;

static struct app_counts counts;
static struct packet outgoing;
static struct alarm sending = { .to = &mac_actor, .signals = SIGNAL_SEND };
static struct alarm timeout = { .to = &mac_actor, .signals = SIGNAL_TIMEOUT };

static void conclude(enum fate fate)
{
    alarm_cancel(&timeout);
    flight.fate = fate;
    flight.phase = TO_LOG;
    actor_signal(&mac_actor, SIGNAL_RESULT);
}

static void confirmed(uint16_t id, enum radio_result result)
{
    if (flight.phase != IN_FLIGHT || id != flight.sequence) {
        return;
    }
    if (result != RADIO_SENT) {
        conclude(result == RADIO_NO_ACK ? NO_ACK : BUSY);
    } else if (!run.active) {
        conclude(OK);
    } else if (flight.expired) {
        conclude(TIMEOUT);
    }
}

static const struct radio_callbacks callbacks = { .received = mac_receive, .confirmed = confirmed };

bool app_init(void)
{
    return radio_init(&callbacks) && app_configure();
}

bool app_configure(void)
{
    const struct radio_settings radio = {
        .pan = PAN,
        .address = (uint16_t)settings.address,
        .channel = (uint8_t)settings.channel,
        .backoff = settings.backoff != 0,
        .seed = settings.seed,
    };

    mac_set_address(PAN, radio.address);
    return radio_configure(&radio);
}

static void fill(char kind, uint16_t sequence, uint8_t length)
{
    uint8_t *payload;

    outgoing.start = PACKET_HEADROOM;
    outgoing.length = length;
    payload = packet_data(&outgoing);
    for (uint8_t i = 0; i < length; i++) {
        payload[i] = i;
    }
    payload[0] = (uint8_t)kind;
    put_be16(payload + length - 2, sequence);
}

/** Sends `outgoing`. The stamp is taken just before the event app.tx.enter. */
static void transmit(uint16_t sequence, uint16_t destination, uint32_t patience_us)
{
    bool taken;

    outgoing.id = sequence;
    outgoing.source = (uint16_t)settings.address;
    outgoing.destination = destination;
    flight.phase = IN_FLIGHT;
    flight.sequence = sequence;
    flight.expired = false;
    counts.sent++;
    flight.tx_us = timer_now();
    GPIORIG_ENTER_ID(APP_TX, sequence);
    taken = udp_send(&outgoing);
    GPIORIG_EXIT_ID(APP_TX, sequence);
    if (taken) {
        alarm_set(&timeout, flight.tx_us + patience_us);
    } else {
        conclude(BUSY);
    }
}

static void send_request(void)
{
    run.overdue = false;
    run.left--;
    run.sequence++;
    fill(REQUEST, run.sequence, (uint8_t)settings.payload);
    transmit(run.sequence, (uint16_t)settings.peer, settings.timeout_us);
    if (run.left > 0) {
        run.due_us += settings.interval_us;
        if (timer_reached(timer_now(), run.due_us)) {
            run.due_us = timer_now() + settings.interval_us;
        }
        alarm_set(&sending, run.due_us);
    }
}

void app_start(uint32_t packets)
{
    counts = (struct app_counts){ 0 };
    run.active = true;
    run.overdue = false;
    run.left = packets;
    run.sequence = 0;
    run.due_us = timer_now() + settings.interval_us;
    alarm_set(&sending, run.due_us);
}

bool app_is_running(void)
{
    return run.active;
}

struct app_counts app_counts(void)
{
    return counts;
}

void app_receive(struct packet *packet)
{
    uint32_t now = timer_now();
    uint8_t kind = packet_data(packet)[0];

    GPIORIG_ENTER_ID(APP_RX, packet->id);
    if (packet->length < PAYLOAD_LEAST) {
        /* none of ours */
    } else if (run.active && kind == REPLY && flight.phase == IN_FLIGHT && packet->id == flight.sequence) {
        counts.received++;
        flight.rx_us = now;
        conclude(OK);
    } else if (!run.active && kind == REQUEST && flight.phase == NONE) {
        counts.received++;
        flight.rx_us = now;
        fill(REPLY, packet->id, packet->length);
        transmit(packet->id, packet->source, RADIO_GUARD_US);
    }
    GPIORIG_EXIT_ID(APP_RX, packet->id);
}

/** Time is up: for the reply, or for a transmission that has to end first. */
static void expire(void)
{
    if (flight.phase != IN_FLIGHT) {
        return;
    }
    if (!radio_is_sending()) {
        conclude(TIMEOUT);
    } else if (timer_reached(timer_now(), flight.tx_us + RADIO_GUARD_US)) {
        radio_abort(); /* is confirmed as busy */
    } else {
        flight.expired = true;
        alarm_set(&timeout, flight.tx_us + RADIO_GUARD_US);
    }
}

static void log_packet(void)
{
    struct line line = { .length = 0 };
    bool ok = flight.fate == OK;

    line_text(&line, "packet");
    line_pair(&line, "seq", flight.sequence);
    if (run.active) {
        line_pair(&line, "tx_us", flight.tx_us);
        if (ok) {
            line_pair(&line, "rx_us", flight.rx_us);
        }
        line_text(&line, ok ? " status=ok" : " status=lost reason=");
        line_text(&line, ok ? "" : fate_names[flight.fate]);
    } else {
        line_pair(&line, "rx_us", flight.rx_us);
        line_pair(&line, "tx_us", flight.tx_us);
        line_text(&line, " status=");
        line_text(&line, fate_names[flight.fate]);
    }
    line_send(&line);
}

static void log_done(void)
{
    struct line line = { .length = 0 };

    line_text(&line, "done");
    line_pair(&line, "sent", counts.sent);
    line_pair(&line, "received", counts.received);
    line_pair(&line, "lost", counts.lost);
    line_pair(&line, "probes", gpiorig_frames());
    line_send(&line);
}

static void finish_packet(void)
{
    if (flight.phase != TO_LOG) {
        return;
    }
    counts.lost += flight.fate == OK ? 0 : 1;
    log_packet();
    flight.phase = NONE;
    if (run.active && run.left == 0) {
        run.active = false;
        log_done();
    } else if (run.overdue) {
        send_request();
    }
}

static void work(const struct message *message)
{
    uint16_t signals = message->value;

    if ((signals & SIGNAL_RESULT) != 0) {
        finish_packet();
    }
    if ((signals & MAC_SIGNAL_RADIO) != 0) {
        radio_service();
    }
    if ((signals & SIGNAL_TIMEOUT) != 0) {
        expire();
    }
    if ((signals & SIGNAL_SEND) != 0 && run.active) {
        if (flight.phase == NONE) {
            send_request();
        } else {
            run.overdue = true;
        }
    }
}

ACTOR(mac_actor, ACTOR_MAC, work, 2, 768);
