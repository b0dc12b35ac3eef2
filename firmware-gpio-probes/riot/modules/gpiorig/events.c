/** Events, whoever's: of a network interface, of lwIP, of sockets; and the turns of an interface's thread. */
#include "gpiorig_riot.h"

#ifdef MODULE_EVENT

#include "event.h"

void __real_event_post(event_queue_t *queue, event_t *event);
void __wrap_event_post(event_queue_t *queue, event_t *event);
event_t *__real_event_get(event_queue_t *queue);
event_t *__wrap_event_get(event_queue_t *queue);
event_t *__real_event_wait_multi(event_queue_t *queues, size_t count);
event_t *__wrap_event_wait_multi(event_queue_t *queues, size_t count);

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

/* Of several queues it does not tell which one the event was in. */
event_t *__wrap_event_wait_multi(event_queue_t *queues, size_t count)
{
    event_t *event = __real_event_wait_multi(queues, count);

    if (count == 1) {
        GPIORIG_EVENT_ID(QUEUE_FETCH, GPIORIG_QUEUE(queues));
    } else {
        GPIORIG_EVENT(QUEUE_FETCH);
    }
    return event;
}

#endif

#ifdef MODULE_GNRC_NETIF

#include "thread.h"
#include "thread_flags.h"

thread_flags_t __real_thread_flags_wait_any(thread_flags_t mask);
thread_flags_t __wrap_thread_flags_wait_any(thread_flags_t mask);

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
