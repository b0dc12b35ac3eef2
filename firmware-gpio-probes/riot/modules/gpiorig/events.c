/** A network interface's thread: its events, and its turns from one wait to the next. */
#include "gpiorig_riot.h"

#ifdef MODULE_GNRC_NETIF

#include "event.h"
#include "thread.h"
#include "thread_flags.h"

void __real_event_post(event_queue_t *queue, event_t *event);
void __wrap_event_post(event_queue_t *queue, event_t *event);
event_t *__real_event_get(event_queue_t *queue);
event_t *__wrap_event_get(event_queue_t *queue);
thread_flags_t __real_thread_flags_wait_any(thread_flags_t mask);
thread_flags_t __wrap_thread_flags_wait_any(thread_flags_t mask);

void __wrap_event_post(event_queue_t *queue, event_t *event)
{
    GPIORIG_EVENT_ID(QUEUE_POST, GPIORIG_QUEUE(queue));
    __real_event_post(queue, event);
}

event_t *__wrap_event_get(event_queue_t *queue)
{
    event_t *event = __real_event_get(queue);

    if (event != NULL) {
        GPIORIG_EVENT_ID(QUEUE_FETCH, GPIORIG_QUEUE(queue));
    }
    return event;
}

/* The first wait of an interface's thread begins before anybody knows whose thread it is. */
thread_flags_t __wrap_thread_flags_wait_any(thread_flags_t mask)
{
    uint16_t me = (uint16_t)thread_getpid();
    thread_flags_t flags;

    if (gpiorig_in_netif_thread()) {
        GPIORIG_EXIT_ID(TASK_RUN, me);
    }
    flags = __real_thread_flags_wait_any(mask);
    if (gpiorig_in_netif_thread()) {
        GPIORIG_ENTER_ID(TASK_RUN, me);
    }
    return flags;
}

#endif
