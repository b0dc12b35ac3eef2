/**
 * Ping-pong. The node that is told to start sends numbered requests and awaits a reply to each; any other node replies
 * at once to what it gets.
 */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

struct app_counts {
    uint32_t sent;     /* requests, or replies */
    uint32_t received; /* replies, or requests */
    uint32_t lost;     /* requests without a reply, or replies not acknowledged */
};

/** Starts the radio; false when it does not answer. */
bool app_init(void);

/** Takes changed settings over. */
bool app_configure(void);

/** Becomes the initiator: `packets` requests, the first after one interval. Counts begin anew. */
void app_start(uint32_t packets);

bool app_is_running(void);
struct app_counts app_counts(void);

/** A UDP payload has come. */
void app_receive(struct packet *packet);

#endif
