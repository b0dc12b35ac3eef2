/* RIOT sys/include/ztimer.h, compared with a stored copy of after 2021 (ztimer_set returns a time). */
#ifndef RIOT_ZTIMER_H
#define RIOT_ZTIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "msg.h"

typedef struct ztimer_clock ztimer_clock_t;
typedef struct {
    uint32_t offset;
    void (*callback)(void *arg);
    void *arg;
} ztimer_t;

extern ztimer_clock_t *const ZTIMER_USEC;

void ztimer_handler(ztimer_clock_t *clock);
uint32_t ztimer_set(ztimer_clock_t *clock, ztimer_t *timer, uint32_t val);
bool ztimer_remove(ztimer_clock_t *clock, ztimer_t *timer);
void ztimer_sleep(ztimer_clock_t *clock, uint32_t duration);
void ztimer_periodic_wakeup(ztimer_clock_t *clock, uint32_t *last_wakeup, uint32_t period);
int ztimer_msg_receive_timeout(ztimer_clock_t *clock, msg_t *msg, uint32_t timeout);
uint32_t ztimer_now(ztimer_clock_t *clock);
bool ztimer_acquire(ztimer_clock_t *clock);

#endif
