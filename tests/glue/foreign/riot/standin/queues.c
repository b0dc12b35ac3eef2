/** Events and mailboxes (RIOT: sys/event/event.c, core/mbox.c). */
#include "irq.h"
#include "mbox.h"
#include "standin.h"

void event_post(event_queue_t *queue, event_t *event)
{
    unsigned state = irq_disable();

    if (queue->event_list == NULL) { /* one event a queue is enough here */
        queue->event_list = event;
    }
    thread_flags_set(queue->waiter, THREAD_FLAG_EVENT);
    irq_restore(state);
}

static event_t *pop(event_queue_t *queue)
{
    unsigned state = irq_disable();
    event_t *event = queue->event_list;

    queue->event_list = NULL;
    irq_restore(state);
    return event;
}

event_t *event_get(event_queue_t *queue)
{
    return pop(queue);
}

event_t *event_wait_multi(event_queue_t *queues, size_t n_queues)
{
    event_t *event = NULL;

    while (event == NULL) {
        for (size_t at = 0; event == NULL && at < n_queues; at++) {
            event = pop(&queues[at]);
        }
        if (event == NULL) {
            thread_flags_wait_any(THREAD_FLAG_EVENT);
        }
    }
    return event;
}

int _mbox_put(mbox_t *mbox, msg_t *msg, int blocking)
{
    unsigned state = irq_disable();
    int result = mbox->count < mbox->size;

    (void)blocking;
    if (result == 1) {
        mbox->msg_array[(mbox->head + mbox->count++) % mbox->size] = *msg;
        if (mbox->reader != KERNEL_PID_UNDEF) {
            thread_wake(mbox->reader);
            mbox->reader = KERNEL_PID_UNDEF;
        }
    }
    irq_restore(state);
    return result;
}

int _mbox_get(mbox_t *mbox, msg_t *msg, int blocking)
{
    unsigned state = irq_disable();
    int result = 1;

    if (mbox->count == 0 && blocking == BLOCKING) {
        mbox->reader = thread_getpid();
        thread_block();
        irq_restore(state);
        state = irq_disable();
    }
    if (mbox->count == 0) {
        result = 0;
    } else {
        *msg = mbox->msg_array[mbox->head];
        mbox->head = (mbox->head + 1) % mbox->size;
        mbox->count--;
    }
    irq_restore(state);
    return result;
}
