/**
 * The scheduler: a process's run is task.run, an event or poll for it queue.post (queue.drop when the queue is full). What
 * runs a process is static, so the pointer to its thread, which is in RAM, is exchanged when it is started.
 */
#include "gpiorig-contiki.h"

#ifndef GPIORIG_OFF

#include <stddef.h>

#define UNKNOWN 0xffu

static struct hooked {
    struct process *process;
    PT_THREAD((*thread)(struct pt *, process_event_t, process_data_t));
} processes[GPIORIG_PROCESSES];
static uint16_t count;

uint16_t gpiorig_process_number(const struct process *process)
{
    if (process == PROCESS_BROADCAST) {
        return 0;
    }
    for (uint16_t number = 1; number <= count; number++) {
        if (processes[number - 1].process == process) {
            return number;
        }
    }
    return UNKNOWN;
}

struct process *gpiorig_process(uint16_t number)
{
    return number >= 1 && number <= count ? processes[number - 1].process : NULL;
}

/** In place of a process's thread; whose, its protothread tells. */
static PT_THREAD(gpiorig_thread(struct pt *pt, process_event_t event, process_data_t data))
{
    uint16_t number = gpiorig_process_number((struct process *)(void *)((char *)pt - offsetof(struct process, pt)));
    int state;

    GPIORIG_ENTER_ID(TASK_RUN, number);
    state = processes[number - 1].thread(pt, event, data);
    GPIORIG_EXIT_ID(TASK_RUN, number);
    return state;
}

void GPIORIG_REAL(process_start)(struct process *process, process_data_t data);
void GPIORIG_WRAP(process_start)(struct process *process, process_data_t data);
int GPIORIG_REAL(process_post)(struct process *process, process_event_t event, process_data_t data);
int GPIORIG_WRAP(process_post)(struct process *process, process_event_t event, process_data_t data);
void GPIORIG_REAL(process_poll)(struct process *process);
void GPIORIG_WRAP(process_poll)(struct process *process);
process_num_events_t GPIORIG_REAL(process_run)(void);
process_num_events_t GPIORIG_WRAP(process_run)(void);

void GPIORIG_WRAP(process_start)(struct process *process, process_data_t data)
{
    if (process->thread != NULL && process->thread != gpiorig_thread) {
        if (count < GPIORIG_PROCESSES) {
            processes[count++] = (struct hooked){process, process->thread};
            process->thread = gpiorig_thread;
        } else {
            gpiorig_unhooked++;
        }
    }
    GPIORIG_REAL(process_start)(process, data);
}

int GPIORIG_WRAP(process_post)(struct process *process, process_event_t event, process_data_t data)
{
    int result = GPIORIG_REAL(process_post)(process, event, data);

    if (result == PROCESS_ERR_OK) {
        GPIORIG_EVENT_ID(QUEUE_POST, gpiorig_process_number(process));
    } else {
        GPIORIG_EVENT_ID(QUEUE_DROP, gpiorig_process_number(process));
    }
    return result;
}

void GPIORIG_WRAP(process_poll)(struct process *process)
{
    GPIORIG_EVENT_ID(QUEUE_POST, GPIORIG_POLL + gpiorig_process_number(process));
    GPIORIG_REAL(process_poll)(process);
}

process_num_events_t GPIORIG_WRAP(process_run)(void)
{
#if GPIORIG_PASSES
    process_num_events_t left;

    GPIORIG_ENTER_ID(TASK_RUN, 0);
    left = GPIORIG_REAL(process_run)();
    GPIORIG_EXIT_ID(TASK_RUN, 0);
    return left;
#else
    return GPIORIG_REAL(process_run)();
#endif
}

#endif
