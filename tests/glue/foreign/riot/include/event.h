/* RIOT sys/include/event.h: event_post, event_get, event_wait_multi. The queue is packed there; the glue takes its address only. */
#ifndef RIOT_EVENT_H
#define RIOT_EVENT_H

#include <stddef.h>

#include "thread.h"

typedef struct event event_t;
typedef void (*event_handler_t)(event_t *);

struct event {
    event_t *next;
    event_handler_t handler;
};

typedef struct {
    event_t *event_list;
    thread_t *waiter;
} event_queue_t;

void event_post(event_queue_t *queue, event_t *event);
event_t *event_get(event_queue_t *queue);
event_t *event_wait_multi(event_queue_t *queues, size_t n_queues);

#endif
