/* RIOT core/include/sched.h: kernel_pid_t and its limits, the scheduler's callback (module sched_cb). */
#ifndef RIOT_SCHED_H
#define RIOT_SCHED_H

#include <stdint.h>

typedef int16_t kernel_pid_t;

#define MAXTHREADS 32
#define KERNEL_PID_UNDEF 0
#define KERNEL_PID_LAST (KERNEL_PID_UNDEF + MAXTHREADS)

typedef void (*sched_callback_t)(kernel_pid_t active, kernel_pid_t next);

#ifdef MODULE_SCHED_CB
void sched_register_cb(sched_callback_t callback);
#endif

#endif
