/** Stand-in for os/sys/process.c and autostart.c: one queue, polls first, every process to its next wait. */
#include "contiki.h"

#define EVENTS 8

enum { NONE, RUNNING, CALLED };

struct process *process_list, *process_current;

static struct {
    struct process *to;
    process_event_t event;
    process_data_t data;
} events[EVENTS];
static unsigned first, waiting;
static volatile bool polled;

static void call(struct process *process, process_event_t event, process_data_t data)
{
    if (process->state == NONE) {
        return;
    }
    process_current = process;
    process->state = CALLED;
    process->state = process->thread(&process->pt, event, data) == PT_ENDED ? NONE : RUNNING;
}

void process_init(void)
{
}

void process_start(struct process *process, process_data_t data)
{
    process->next = process_list;
    process_list = process;
    process->state = RUNNING;
    PT_INIT(&process->pt);
    process_post_synch(process, PROCESS_EVENT_INIT, data);
}

int process_post(struct process *process, process_event_t event, process_data_t data)
{
    if (waiting == EVENTS) {
        return PROCESS_ERR_FULL;
    }
    events[(first + waiting) % EVENTS].to = process;
    events[(first + waiting) % EVENTS].event = event;
    events[(first + waiting) % EVENTS].data = data;
    waiting++;
    return PROCESS_ERR_OK;
}

void process_post_synch(struct process *process, process_event_t event, process_data_t data)
{
    struct process *caller = process_current;

    call(process, event, data);
    process_current = caller;
}

void process_poll(struct process *process)
{
    process->needspoll = true;
    polled = true;
}

process_num_events_t process_nevents(void)
{
    return (process_num_events_t)(waiting + polled);
}

process_num_events_t process_run(void)
{
    if (polled) {
        polled = false;
        for (struct process *process = process_list; process != NULL; process = process->next) {
            if (process->needspoll) {
                process->needspoll = false;
                call(process, PROCESS_EVENT_POLL, NULL);
            }
        }
    }
    if (waiting > 0) {
        struct process *to = events[first].to;
        process_event_t event = events[first].event;
        process_data_t data = events[first].data;

        first = (first + 1) % EVENTS;
        waiting--;
        call(to, event, data);
    }
    return process_nevents();
}
