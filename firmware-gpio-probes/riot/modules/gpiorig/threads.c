/** Thread switches. */
#include "gpiorig_riot.h"

#include "sched.h"

/*
 * Called twice a switch, interrupts off: (thread, KERNEL_PID_UNDEF) when one is left, (KERNEL_PID_UNDEF, thread) when
 * one is entered, before its registers are back. In between is the scheduler, and on a Cortex-M, which has no idle
 * thread, sleep.
 */
static void thread_switched(kernel_pid_t active, kernel_pid_t next)
{
    (void)active;
    GPIORIG_EVENT_ID(SCHED_SWITCH, (uint16_t)next);
}

void gpiorig_threads_init(void)
{
    sched_register_cb(thread_switched);
}
