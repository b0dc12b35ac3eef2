/* Stand-in for kernel/scheduler.h: priorities that the stand-in's stack uses. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

typedef enum {
    TASKPRIO_NONE = 0x00,
    TASKPRIO_SIXTOP_NOTIF_RX = 0x01,
    TASKPRIO_SIXTOP_NOTIF_TXDONE = 0x02,
    TASKPRIO_OPENTIMERS = 0x03,
    TASKPRIO_OPENSERIAL = 0x0f,
    TASKPRIO_MAX = 0x10,
} task_prio_t;

#define TASK_LIST_DEPTH 10

typedef void (*task_cbt)(void);

void scheduler_init(void);
void scheduler_start(void);
void scheduler_push_task(task_cbt task_cb, task_prio_t prio);

#endif
