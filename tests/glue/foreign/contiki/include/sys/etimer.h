/** What the glue uses of Contiki-NG 5.0's os/sys/etimer.h. Declarations only, written for these tests. */
#ifndef SYS_ETIMER_H
#define SYS_ETIMER_H

#include "contiki.h"

struct etimer {
    struct etimer *next;
    struct process *p;
    clock_time_t start, interval;
};

void etimer_set(struct etimer *timer, clock_time_t interval);
void etimer_stop(struct etimer *timer);

#endif
