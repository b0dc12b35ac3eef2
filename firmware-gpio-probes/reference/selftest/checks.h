/** The checks of the self-test. Each is started by the director, the least urgent actor, and ends with trace_end. */
#ifndef CHECKS_H
#define CHECKS_H

#include "kernel.h"

/* From more to less urgent; the workers are equals. console_actor directs. */
extern struct actor mac_actor, udp_actor, app_actor, worker_a_actor, worker_b_actor, console_actor;

/** What an actor does with what it gets, as the check wants it. */
extern actor_handler *mac_does, *udp_does, *app_does, *worker_a_does, *worker_b_does;

#define NEXT 1u /* message to console_actor: the check has ended */

void check_order(void);
void check_pass(void);
void check_signals(void);
void check_queue(void);
void check_take_back(void);
void check_alarms(void);
void check_long_alarms(void);
void check_alone(void);
void check_slices(void);
void check_slices_interrupted(void);
void check_priority(void);
void check_own_priority(void);
void check_costs(void);
void check_stack(void);

#endif
