/**
 * Applications: one file each, app_NAME.c, chosen by `set app`. The node that receives `start` is active; the others answer
 * or take note of what comes, as the application defines. What they share is here: counts, the beat, the log.
 */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "line.h"
#include "packet.h"

/* Signals of app_actor. PACKET_SETTLED is taken. */
#define APP_SIGNAL_START SIGNAL(0)
#define APP_SIGNAL_STOP SIGNAL(1)
#define APP_SIGNAL_BEAT SIGNAL(2)
#define APP_SIGNAL_END SIGNAL(3)
#define APP_SIGNAL_OWN(n) SIGNAL(4 + (n)) /* n 0 to 10: the application's own */

/** An application. All functions run in app_actor; signal may be NULL. */
struct app {
    const char *name;
    /** The node has received `start`: packet by packet until app_left is 0, then app_done. */
    void (*start)(void);
    /** No more packets: app_left has just become 0. app_done, at once or when the last packet is through. */
    void (*stop)(void);
    /** A payload has come, between app.rx.enter and app.rx.exit; takes the packet. `now_us` is just before app.rx.enter. */
    void (*received)(struct packet *packet, uint32_t now_us);
    /** One of its packets is settled, with packet->fate; takes it. */
    void (*settled)(struct packet *packet);
    /** The beat is due (app_beat_at). */
    void (*beat)(void);
    /** APP_SIGNAL_OWN bits only. */
    void (*signal)(uint16_t bits);
};

struct app_counts {
    uint32_t sent;     /* requests, replies, or other packets */
    uint32_t received;
    uint32_t lost; /* requests without a reply; other packets that were not sent, or not acknowledged */
};

extern struct actor app_actor;
extern struct app_counts app_counts;

/** Packets still to send; UINT32_MAX: until it is stopped. */
extern uint32_t app_left;

/* For the console. */

bool app_is_running(void);

/** `packets` 0: until stopped, by the host or by settings.duration_s. */
void app_start(uint32_t packets);

/** No more packets; once the application is done, the MAC stops too. */
void app_stop(void);

/** Count from zero again. */
void app_forget(void);

/* For applications. */

enum app_path { OVER_UDP, OVER_MAC };

/** An empty packet with room for `set payload`, or NULL. */
struct packet *app_packet(void);

/** The id of the packet after this one: 0 is not an id (docs/guide/packets.md). */
static inline uint16_t app_next_id(uint16_t id)
{
    return id == UINT16_MAX ? 1 : (uint16_t)(id + 1u);
}

/** A packet's payload: `kind`, then the id over and over, so that each fragment and the complete payload end with it. */
void app_fill(struct packet *packet, char kind, uint16_t id, uint16_t length);

/** What app_fill wrote, or 0 for a payload that is too short for one of ours. */
char app_kind(struct packet *packet);

/**
 * Sends a filled packet between app.tx.enter and app.tx.exit, and counts it. Returns the stamp taken just before
 * app.tx.enter. The packet comes back to `settled`, whatever happens.
 */
uint32_t app_send(struct packet *packet, uint16_t destination, enum app_path path);

/** Sends a packet that was sent before, as a layer below the application's call would: without an event, uncounted. */
void app_send_again(struct packet *packet, uint16_t destination, enum app_path path);

/** One packet less to send; false when that was the last. */
bool app_count_down(void);

/** Calls `beat` at this time; one beat at a time. */
void app_beat_at(uint32_t deadline_us);

/**
 * Calls `beat` once the messages that wait have been handled. Signals come before messages, so an application that is kept busy by
 * signals never gets what arrives. False: the queue is full.
 */
bool app_beat_in_turn(void);

/** When the first of a series of beats is due: `set phase_us` from now, or one interval. */
uint32_t app_first_beat(void);

/** From one beat to the next: `set interval_us`, or a distance that is drawn with this mean. */
uint32_t app_interval_us(void);

/** When the next of a series of beats is due that one interval after the other ought to come: fixed ones not in the past. */
uint32_t app_next_beat(uint32_t last_due_us);

/** An empty line for the log; one at a time. */
struct line *app_line(const char *word);

/** An application's `received` where packets go one way: counts those of the kinds, logs the first, and frees all. */
void app_take_note(struct packet *packet, uint32_t now_us);
#define APP_ONE_WAY 'W'
#define APP_UNLOGGED 'U'

/** Ends a line with a packet's fate, and sends it. */
void app_log_fate(struct line *line, enum fate fate);

/** The run is over: reports it in the log. */
void app_done(void);

#endif
