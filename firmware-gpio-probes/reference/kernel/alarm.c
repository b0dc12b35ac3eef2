/*
 * A list in the order of the deadlines; the compare is armed for its first. Interrupts are masked for one walk of the list, a
 * handful of alarms.
 */
#include "alarm.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "board.h"
#include "timer.h"
#include "uart_port.h"

static struct alarm *first;

static void take_out(struct alarm *alarm)
{
    struct alarm **link = &first;

    while (*link != alarm) {
        link = &(*link)->next;
    }
    *link = alarm->next;
    alarm->set = false;
}

static void arm(void)
{
    if (first != NULL) {
        timer_arm(first->deadline_us);
    } else {
        timer_disarm();
    }
}

/** Out of the list, and its signals out of the actor. True: the compare may have to be armed again. */
static bool withdraw(struct alarm *alarm)
{
    bool was_first = alarm == first;

    if (alarm->set) {
        take_out(alarm);
    } else if (alarm->given) {
        actor_unsignal(alarm->to, alarm->signals);
    }
    alarm->given = false;
    return was_first;
}

void alarm_set(struct alarm *alarm, uint32_t deadline_us)
{
    irq_state state = irq_lock();
    bool was_first = withdraw(alarm);
    struct alarm **link = &first;

    while (*link != NULL && timer_reached(deadline_us, (*link)->deadline_us)) {
        link = &(*link)->next;
    }
    alarm->deadline_us = deadline_us;
    alarm->next = *link;
    alarm->set = true;
    *link = alarm;
    if (was_first || first == alarm) {
        arm();
    }
    irq_unlock(state);
    GPIORIG_EVENT(TIMER_SET);
}

void alarm_cancel(struct alarm *alarm)
{
    irq_state state = irq_lock();

    if (withdraw(alarm)) {
        arm();
    }
    irq_unlock(state);
}

static void expire(struct alarm *alarm)
{
    GPIORIG_ENTER(TIMER_FIRE);
    if (alarm->expired != NULL) {
        alarm->expired(alarm);
    } else {
        actor_signal(alarm->to, alarm->signals);
    }
    GPIORIG_EXIT(TIMER_FIRE);
}

/** The first alarm if it is due, taken out. */
static struct alarm *take_due(uint32_t now)
{
    irq_state state = irq_lock();
    struct alarm *due = NULL;

    if (first != NULL && timer_reached(now, first->deadline_us)) {
        due = first;
        take_out(due);
        due->given = due->expired == NULL;
    }
    irq_unlock(state);
    return due;
}

void alarm_interrupt(void)
{
    uint32_t now = timer_now();
    struct alarm *due;
    irq_state state;

    uart_port_poll();
    while ((due = take_due(now)) != NULL) {
        expire(due);
        uart_port_poll();
    }
    state = irq_lock();
    arm();
    irq_unlock(state);
}
