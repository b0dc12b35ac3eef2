/** RIOT: sys/ztimer/util.c. */
#include "standin.h"
#include "ztimer.h"

static void wake(void *arg)
{
    thread_wake((kernel_pid_t)(uintptr_t)arg);
}

void ztimer_sleep(ztimer_clock_t *clock, uint32_t duration)
{
    ztimer_t timer = { .callback = wake, .arg = (void *)(uintptr_t)thread_getpid() };

    ztimer_set(clock, &timer, duration);
    thread_block();
}
