#include "timer.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "board.h"
#include "interrupts.h"

/* TIMER1 has 32 bits and counts microseconds. Channel 0 reads it, 1 is the alarm, 2 the radio's (nrf52840_air.c). */
#define NOW 0u
#define ALARM 1u
#define PRESCALER_1_MHZ 4u

void timer_init(void)
{
    TIMER_BITMODE(TIMER1) = TIMER_BITMODE_32;
    TIMER_PRESCALER(TIMER1) = PRESCALER_1_MHZ;
    TIMER_TASKS_CLEAR(TIMER1) = 1;
    TIMER_TASKS_START(TIMER1) = 1;
    nvic_enable(IRQ_TIMER1, 1);
}

/* An interrupt between the two may capture again: what is read is later then, and still within this call. */
uint32_t timer_now(void)
{
    TIMER_TASKS_CAPTURE(TIMER1, NOW) = 1;
    return TIMER_CC(TIMER1, NOW);
}

void timer_arm(uint32_t deadline_us)
{
    TIMER_CC(TIMER1, ALARM) = deadline_us;
    TIMER_EVENTS_COMPARE(TIMER1, ALARM) = 0;
    TIMER_INTENSET(TIMER1) = TIMER_COMPARE(ALARM);
    if (timer_reached(timer_now(), deadline_us)) {
        nvic_pend(IRQ_TIMER1);
    }
}

void timer_disarm(void)
{
    TIMER_INTENCLR(TIMER1) = TIMER_COMPARE(ALARM);
    TIMER_EVENTS_COMPARE(TIMER1, ALARM) = 0;
}

void timer_spin(uint32_t microseconds)
{
    uint32_t start = timer_now();

    while (timer_now() - start <= microseconds) {
    }
}

void timer1_handler(void)
{
    GPIORIG_ENTER(ISR_TIMER);
    TIMER_EVENTS_COMPARE(TIMER1, ALARM) = 0;
    (void)TIMER_EVENTS_COMPARE(TIMER1, ALARM); /* cleared before the handler ends: PS, "Peripheral interface" */
    alarm_interrupt();
    GPIORIG_EXIT(ISR_TIMER);
}
