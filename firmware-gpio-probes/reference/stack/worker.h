/**
 * Processing tasks: each burns worker_X_on_us of processor time every worker_X_period_us, at the priority worker_X_priority.
 * Processor time, not wall time: a loop of instructions, calibrated at boot, which takes longer when it is pre-empted.
 * Under kernel/events a task runs to completion, and so holds everything else up.
 */
#ifndef WORKER_H
#define WORKER_H

#include "kernel.h"
#include "line.h"

extern struct actor worker_a_actor, worker_b_actor;

/** Calibrates the loop, some 30 ms with interrupts masked. Before anything else runs. */
void worker_calibrate(void);

/** From the console: gives the layers and the tasks their priorities, and lets the tasks begin, one period from now. */
void worker_start(void);

/** No more runs; one that has begun continues to its end. */
void worker_stop(void);

/**
 * For each task, as pairs: runs; those omitted because the one before was not done when they were due (missed); the time from
 * due to begun (wait) and from begun to done (took), the sum over all runs and the longest. And the loops in 8192 us.
 */
void worker_report(struct line *line);

#endif
