#include "probes.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "kernel.h"
#include "timer.h"
#include "uart.h"

static uint32_t heartbeat_us;

static void beat(struct alarm *alarm)
{
    gpiorig_heartbeat();
    alarm_set(alarm, alarm->deadline_us + heartbeat_us);
}

void probes_set_heartbeat(uint32_t period_us)
{
    static struct alarm heartbeat = { .expired = beat };

    if (period_us != heartbeat_us) {
        heartbeat_us = period_us;
        alarm_cancel(&heartbeat);
        if (period_us != 0) {
            alarm_set(&heartbeat, timer_now() + period_us);
        }
    }
}

void probes_init(void)
{
    gpiorig_init();
    gpiorig_enable_group(GPIORIG_GROUP_SCHED, false);
    gpiorig_enable_group(GPIORIG_GROUP_TASK, false);
    gpiorig_enable_group(GPIORIG_GROUP_QUEUE, false);
    gpiorig_enable_group(GPIORIG_GROUP_TIMER, false);
    gpiorig_enable_group(GPIORIG_GROUP_SLOT, false);
}

#if GPIORIG_LOG
uint32_t gpiorig_now(void)
{
    return timer_now();
}

static bool sends_when_idle;

void probes_send_log_when_idle(bool on)
{
    sends_when_idle = on;
}

/** A line of the log; false: there was none. */
static bool send_line(void)
{
    static char text[GPIORIG_LOG_LINE];
    unsigned length = gpiorig_log_line(text);

    if (length != 0) {
        text[length] = '\n'; /* where its end was */
        uart_write(text, (uint16_t)(length + 1u));
    }
    return length != 0;
}

/** Sends a line of the log if there is one and room for it. */
bool kernel_idle_work(void)
{
    return sends_when_idle && uart_has_room(GPIORIG_LOG_LINE) && send_line();
}

void probes_send_log(void)
{
    while (send_line()) {
        uart_drain();
    }
}
#endif
