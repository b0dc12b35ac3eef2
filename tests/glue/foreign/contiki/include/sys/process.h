/** What the glue uses of Contiki-NG 5.0's os/sys/process.h. Declarations only, written for these tests. */
#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include "sys/pt.h"

typedef unsigned char process_event_t;
typedef void *process_data_t;
typedef unsigned char process_num_events_t;

#define PROCESS_ERR_OK 0
#define PROCESS_ERR_FULL 1
#define PROCESS_BROADCAST NULL
#define PROCESS_CURRENT() process_current
#define PROCESS_NAME_STRING(process) ((process) == NULL ? "" : (process)->name)

#define PROCESS_EVENT_INIT 0x81
#define PROCESS_EVENT_POLL 0x82
#define PROCESS_EVENT_CONTINUE 0x85
#define PROCESS_EVENT_TIMER 0x88

struct process {
    struct process *next;
    const char *name;
    PT_THREAD((*thread)(struct pt *, process_event_t, process_data_t));
    struct pt pt;
    unsigned char state;
    bool needspoll;
};

#define PROCESS_NAME(variable) extern struct process variable
#define PROCESS_THREAD(name, ev, data) \
    static PT_THREAD(process_thread_##name(struct pt *process_pt, process_event_t ev, process_data_t data))
#define PROCESS(variable, text)           \
    PROCESS_THREAD(variable, ev, data);   \
    struct process variable = {NULL, text, process_thread_##variable, {0}, 0, 0}

/* A protothread goes on where it stood: its place is the line of a case. */
#define PROCESS_BEGIN()           \
    bool process_yielded = false; \
    (void)ev;                     \
    (void)data;                   \
    switch (process_pt->lc) {     \
    case 0:
#define PROCESS_WAIT_EVENT()                 \
    do {                                     \
        process_yielded = true;              \
        process_pt->lc = __LINE__;           \
        __attribute__((fallthrough));        \
    case __LINE__:                           \
        if (process_yielded) {               \
            return PT_YIELDED;               \
        }                                    \
    } while (0)
#define PROCESS_WAIT_EVENT_UNTIL(condition)  \
    do {                                     \
        process_yielded = true;              \
        process_pt->lc = __LINE__;           \
        __attribute__((fallthrough));        \
    case __LINE__:                           \
        if (process_yielded || !(condition)) { \
            return PT_YIELDED;               \
        }                                    \
    } while (0)
#define PROCESS_END()     \
    }                     \
    process_pt->lc = 0;   \
    return PT_ENDED

extern struct process *process_list, *process_current;

void process_init(void);
void process_start(struct process *process, process_data_t data);
int process_post(struct process *process, process_event_t event, process_data_t data);
void process_post_synch(struct process *process, process_event_t event, process_data_t data);
void process_poll(struct process *process);
process_num_events_t process_run(void);
process_num_events_t process_nevents(void);

#endif
