/** Alarms: any number, on one hardware compare. No periodic interrupt: an idle node sleeps for good. */
#ifndef ALARM_H
#define ALARM_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"

/** Its owner's memory, zero at first; not to be touched while it is set. */
struct alarm {
    struct alarm *next;
    uint32_t deadline_us;
    void (*expired)(struct alarm *alarm); /* called in the interrupt; NULL: `to` gets `signals` */
    struct actor *to;
    uint16_t signals; /* that no other source gives, or alarm_cancel takes theirs back too */
    bool set;
    bool given; /* the signals, since it was set */
};

/** Sets it, or sets it again, to an absolute time less than 2^31 us away; one in the past is due at once. From any context. */
void alarm_set(struct alarm *alarm, uint32_t deadline_us);

/** From any context. A signal that it has given and that the actor has not got yet is taken back. */
void alarm_cancel(struct alarm *alarm);

/** For the timer's interrupt: whatever is due expires. */
void alarm_interrupt(void);

#endif
