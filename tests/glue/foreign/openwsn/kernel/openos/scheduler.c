/* Stand-in for kernel/openos/scheduler.c: a list in the order of the priorities; the task that runs keeps its place. */
#include "scheduler.h"

#include "board.h"
#include "debugpins.h"
#include "opendefs.h"

static struct task {
    task_cbt cb;
    task_prio_t prio;
    struct task *next;
} tasks[TASK_LIST_DEPTH], *first;

void scheduler_init(void)
{
}

void scheduler_start(void)
{
    for (;;) {
        while (first != NULL) {
            struct task *task = first;

            DISABLE_INTERRUPTS();
            first = task->next;
            ENABLE_INTERRUPTS();
            task->cb();
            task->cb = NULL;
        }
        debugpins_task_clr();
        board_sleep();
        debugpins_task_set();
    }
}

void scheduler_push_task(task_cbt cb, task_prio_t prio)
{
    struct task *task = tasks, **place = &first;

    DISABLE_INTERRUPTS();
    while (task < &tasks[TASK_LIST_DEPTH] && task->cb != NULL) {
        task++;
    }
    if (task == &tasks[TASK_LIST_DEPTH]) {
        board_reset();
    }
    while (*place != NULL && (*place)->prio <= prio) {
        place = &(*place)->next;
    }
    *task = (struct task){cb, prio, *place};
    *place = task;
    ENABLE_INTERRUPTS();
}
