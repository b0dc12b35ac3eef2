/* RIOT core/include/thread.h: thread_create, thread_getpid (there inline), priorities and sizes. */
#ifndef RIOT_THREAD_H
#define RIOT_THREAD_H

#include "sched.h"

typedef struct _thread thread_t;
typedef void *(*thread_task_func_t)(void *arg);

#define THREAD_PRIORITY_MAIN 7
#define THREAD_CREATE_STACKTEST 8
#define THREAD_STACKSIZE_DEFAULT 1024
#define THREAD_STACKSIZE_MAIN 1536

kernel_pid_t thread_create(char *stack, int stacksize, uint8_t priority, int flags, thread_task_func_t function,
                           void *arg, const char *name);
kernel_pid_t thread_getpid(void);
thread_t *thread_get_active(void);
thread_t *thread_get(kernel_pid_t pid);

#endif
