/** Stand-in for os/sys/etimer.c. */
#include "sys/etimer.h"

static struct etimer *timers;

void etimer_set(struct etimer *timer, clock_time_t interval)
{
    struct etimer **at = &timers;

    timer->p = process_current;
    timer->start = clock_time();
    timer->interval = interval;
    while (*at != NULL && *at != timer) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        *at = timer;
    }
}

void etimer_stop(struct etimer *timer)
{
    timer->p = NULL;
}

/** From the main loop, where Contiki has a process for it. */
void etimers_expire(void);
void etimers_expire(void)
{
    for (struct etimer *timer = timers; timer != NULL; timer = timer->next) {
        if (timer->p != NULL && clock_time() - timer->start >= timer->interval) {
            struct process *to = timer->p;

            timer->p = NULL;
            process_post(to, PROCESS_EVENT_TIMER, timer);
        }
    }
}
