/**
 * The scheduler. A task that is pushed is queue.post; one that is taken from the list is queue.fetch, then task.run. The list
 * is in the order of the priorities, first in, first out within each: so the id of the queue is the priority.
 *
 * The scheduler calls a task by the pointer that it was given. That is exchanged for one of ours, which knows the task.
 */
#include "gpiorig_openwsn.h"

#include "scheduler.h"

#define EACH_PLACE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

GPIORIG_WRAPS(scheduler_push_task);

static struct {
    task_cbt run; /* NULL: free */
    uint8_t priority;
} pushed[16];

_Static_assert(TASK_LIST_DEPTH <= sizeof pushed / sizeof pushed[0], "gpiorig: the scheduler holds more tasks than this file");

/** The place of its function: half of its distance from the start of the flash (a function starts at an even address). */
static uint16_t id_of(task_cbt run)
{
    return (uint16_t)((uintptr_t)run >> 1);
}

static void fetched(unsigned place)
{
    task_cbt run = pushed[place].run;
    uint8_t priority = pushed[place].priority;

    pushed[place].run = NULL;
    GPIORIG_EVENT_ID(QUEUE_FETCH, priority);
    GPIORIG_ENTER_ID(TASK_RUN, id_of(run));
    run();
    GPIORIG_EXIT_ID(TASK_RUN, id_of(run));
}

#define RUN(place)                 \
    static void run_##place(void) \
    {                              \
        fetched(place);            \
    }
EACH_PLACE(RUN)

#define NAME(place) run_##place,
static const task_cbt runs[] = {EACH_PLACE(NAME)};

/**
 * The scheduler has a place for TASK_LIST_DEPTH tasks, that which runs included, and resets the board when it has none.
 * Interrupts stay off until the task is in its list, so that posts are in the order of the list; the real one turns them on.
 */
void __wrap_scheduler_push_task(task_cbt run, task_prio_t priority)
{
    unsigned place = 0;

    (void)gpiorig_port_lock();
    while (place < TASK_LIST_DEPTH && pushed[place].run != NULL) {
        place++;
    }
    if (place == TASK_LIST_DEPTH) {
        GPIORIG_EVENT_ID(QUEUE_DROP, priority);
        __real_scheduler_push_task(run, priority);
        return;
    }
    pushed[place].run = run;
    pushed[place].priority = (uint8_t)priority;
    GPIORIG_EVENT_ID(QUEUE_POST, priority);
    __real_scheduler_push_task(runs[place], priority);
}
