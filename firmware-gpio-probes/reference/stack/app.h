/**
 * Applications: one file each, app_NAME.c, chosen by `set app`. The node that is told to start is active; the others
 * answer or take note of what comes, as the application says. What they share is here: counts, the beat, the log.
 */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"
#include "packet.h"

/* Signals of app_actor. PACKET_SETTLED is taken. */
#define APP_SIGNAL_START SIGNAL(0)
#define APP_SIGNAL_STOP SIGNAL(1)
#define APP_SIGNAL_BEAT SIGNAL(2)
#define APP_SIGNAL_END SIGNAL(3)
#define APP_SIGNAL_OWN(n) SIGNAL(4 + (n)) /* n 0 to 10: the application's own */

/** An application. All functions run in app_actor; any may be NULL. */
struct app {
    const char *name;
    /** The node was told to start; app.left is set. */
    void (*start)(void);
    /** It was told to stop, or the time is up; no alarm is left set. */
    void (*stop)(void);
    /** A payload has come, between app.rx.enter and app.rx.exit; takes the packet. */
    void (*received)(struct packet *packet, uint32_t now_us);
    /** One of its packets was settled (packet->fate); takes it. */
    void (*settled)(struct packet *packet);
    /** The beat is due (app_beat_at). */
    void (*beat)(void);
    /** APP_SIGNAL_OWN bits only. */
    void (*signal)(uint16_t bits);
};

struct app_counts {
    uint32_t sent;     /* requests, replies, or other packets */
    uint32_t received;
    uint32_t lost;     /* without a reply, or not sent for good */
    uint32_t queue;    /* of those, lost to a full queue or for want of a buffer */
};

extern struct actor app_actor;
extern struct packet_owner app_owner;
extern struct app_counts app_counts;

/** Packets still to send; UINT32_MAX: until it is stopped. */
extern uint32_t app_left;

/** Told to start, not yet done. From any context. */
bool app_is_running(void);

/** From the console: `packets` 0 means until stopped, or for settings.duration_s. */
void app_start(uint32_t packets);
void app_stop(void);

/* For applications. */

enum app_path { OVER_UDP, OVER_MAC };

/**
 * Makes the payload of a packet: its first byte says what it is, then the id over and over, so that each fragment ends with it.
 */
void app_fill(struct packet *packet, char kind, uint16_t id, uint8_t length);

/**
 * Sends a filled packet with its owner set to app_owner, between app.tx.enter and app.tx.exit, and counts it. Returns the
 * stamp taken just before app.tx.enter. The packet comes back to `settled`, whatever happens.
 */
uint32_t app_send(struct packet *packet, uint16_t destination, enum app_path path);

/** Calls `beat` at this time. */
void app_beat_at(uint32_t deadline_us);
void app_cancel_beat(void);

/** The run is over: says so in the log. */
void app_done(void);

#endif
