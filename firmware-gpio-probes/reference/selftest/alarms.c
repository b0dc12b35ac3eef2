/* Alarms: in order, in the past, cancelled, set again, and beyond the turns of a 16-bit and of a 32-bit counter. */
#include "alarm.h"
#include "checks.h"
#include "timer.h"
#include "trace.h"

static struct alarm alarms[8];
static unsigned left;
static uint32_t latest_us, early;

static void note(struct alarm *alarm)
{
    uint32_t now = timer_now();

    if (!timer_reached(now, alarm->deadline_us)) {
        early++;
    } else if (now - alarm->deadline_us > latest_us) {
        latest_us = now - alarm->deadline_us;
    }
}

#define PAST 7u

static void expired(struct alarm *alarm)
{
    if (alarm != &alarms[PAST]) {
        note(alarm);
    }
    trace((char)('a' + (alarm - alarms)));
    if (--left == 0) {
        trace_number("early", early);
        trace_number("late_us", latest_us);
        trace_end();
    }
}

static void set(unsigned number, uint32_t deadline_us)
{
    alarms[number].expired = expired;
    alarm_set(&alarms[number], deadline_us);
}

/* Expected: the past one at once, then in the order of their times; the cancelled ones never. */
void check_alarms(void)
{
    uint32_t now = timer_now() + 5000u; /* after all this */

    trace_begin("alarms");
    early = latest_us = 0;
    left = 6;
    set(0, now + 3000u);
    set(1, now + 70000u);
    set(2, now + 200000u);
    set(3, now + 1500u);
    set(4, now + 2000u);
    set(5, now + 1000u);
    set(6, now + 2500u);
    alarm_cancel(&alarms[3]);
    set(5, now + 140000u); /* set again, later */
    set(6, now + 1200u);   /* and sooner */
    set(PAST, now - 5001u);
    alarm_cancel(&alarms[0]);
    alarm_cancel(&alarms[0]);
    trace('.');
}

/* Seven times 11 minutes: more than the 71.6 of timer_now. */

#define LONG_US 660000000u

static void long_expired(struct alarm *alarm)
{
    note(alarm);
    trace('l');
    if (--left == 0) {
        trace_number("early", early);
        trace_number("late_us", latest_us);
        trace_number("wrapped", timer_now() < LONG_US);
        trace_end();
    } else {
        alarm_set(alarm, alarm->deadline_us + LONG_US);
    }
}

void check_long_alarms(void)
{
    trace_begin("long_alarms");
    early = latest_us = 0;
    left = 7;
    alarms[0].expired = long_expired;
    alarm_set(&alarms[0], timer_now() + LONG_US);
}
