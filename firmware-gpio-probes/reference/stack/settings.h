/** What the host can set, by name. A new setting is a field here and a row in settings.c. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "line.h"

/* In the order of their names in settings.c, and of the tables in app.c and mac.c. */
enum app_number { APP_PINGPONG, APP_MACPING, APP_PRINT, APP_BROADCAST, APP_SENDER, APP_INTERFERER, APP_TRAIN };
enum mac_number { MAC_CSMA, MAC_TDMA, MAC_SLOTS };
enum finish_number { FINISH_INTERRUPT, FINISH_BUSY };
enum fire_number { FIRE_SLEEP, FIRE_TIMER };

struct settings {
    uint32_t address;     /* own short address */
    uint32_t peer;        /* short address of the node to send to */
    uint32_t channel;     /* of the radio */
    uint32_t interval_us; /* from packet to packet */
    uint32_t timeout_us;  /* from a request to its reply */
    uint32_t payload;     /* bytes, the id in the last two */
    uint32_t csma;        /* 1: CSMA-CA and retries; 0: a frame goes out at once and once */
    uint32_t backoff;     /* 1: CSMA-CA with its random backoff; 0: backoff exponent 0 */
    uint32_t finish;      /* enum finish_number: how the end of a transmission is awaited */
    uint32_t seed;        /* of the backoff */
    uint32_t queue;       /* messages or packets each queue holds */
    uint32_t app;         /* enum app_number */
    uint32_t mac;         /* enum mac_number */
    uint32_t print;       /* bytes of the line printed for each packet (app print) */
    uint32_t window;      /* packets under way at once (app sender) */
    uint32_t train;       /* packets in a train (app train), the first ones interval_us apart */
    uint32_t gap_us;      /* from packet to packet of a train; 0: as soon as can be */
    uint32_t fire;        /* enum fire_number: how the departure of a packet is awaited */
    uint32_t heartbeat_us; /* from heartbeat to heartbeat; 0: none */
    uint32_t log;         /* 1: the log of events is sent while the processor has nothing else to do (builds with LOG=) */
    uint32_t duration_s;  /* of a run; 0: until all packets are sent, or it is stopped */
    uint32_t events_sched, events_task, events_queue, events_timer, events_slot; /* 1: these groups of events are sent */
    uint32_t next_hop;    /* to all others; 0: everybody is a neighbour */
    uint32_t gateway;     /* 1: source of time, always listening (mac tdma); coordinator (mac slots) */
    uint32_t rdc;         /* radio duty cycle in %: 10, 15 or 20 (mac tdma) */
    uint32_t sync_us;     /* from one synchronisation packet to the next (mac tdma) */
    uint32_t slotframe;   /* slots (mac slots) */
    uint32_t slot_us;     /* enum slot_template_number: 10000 or 15000 (mac slots) */
    uint32_t hopping;     /* 1: the channel changes from slot to slot (mac slots) */
    uint32_t layer_priority; /* of mac to app, all the same; 0: as they are */
    uint32_t worker_a_on_us, worker_a_period_us, worker_a_priority; /* worker.h; on_us 0: no such task */
    uint32_t worker_b_on_us, worker_b_period_us, worker_b_priority;
};

extern struct settings settings;

/** All settings to their defaults; also to be called at boot. */
void settings_reset(void);

/**
 * Sets "KEY VALUE", a number (decimal or 0x) or a name, and writes the answer: "ok set KEY=VALUE", or an error that names what
 * is valid. False: nothing was set.
 */
bool settings_set(const char *arguments, struct line *answer);

/** A decimal number, or 0x and a hexadecimal one, that fills the text and fits 32 bits. */
bool parse_number(const char *text, uint32_t *number);

#endif
