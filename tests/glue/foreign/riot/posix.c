/**
 * The application on the PC: RIOT's threads, flags, time and shell on POSIX; peer.c or gnrc.c is what is below it. The line
 * `tick` is RIOT's timer, which re-arms itself whatever the application does.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "luid.h"
#include "shell.h"
#include "thread.h"
#include "thread_flags.h"
#include "ztimer.h"

struct gpiorig_host gpiorig_host;

/** A request comes in, and is answered. */
void posix_request(uint16_t sequence);

struct _thread {
    thread_task_func_t function;
    thread_flags_t flags;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static thread_t threads[4];
static kernel_pid_t last;
static _Thread_local kernel_pid_t me;
static ztimer_clock_t *const no_clock = NULL;
ztimer_clock_t *const ZTIMER_USEC = NULL;

static struct timespec now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

uint32_t ztimer_now(ztimer_clock_t *clock)
{
    struct timespec time = now();

    (void)clock;
    return (uint32_t)(time.tv_sec * 1000000 + time.tv_nsec / 1000);
}

uint32_t gpiorig_now(void)
{
    return ztimer_now(no_clock);
}

void ztimer_sleep(ztimer_clock_t *clock, uint32_t duration)
{
    const struct timespec time = { .tv_sec = duration / 1000000, .tv_nsec = (long)(duration % 1000000) * 1000 };

    (void)clock;
    nanosleep(&time, NULL);
}

void ztimer_periodic_wakeup(ztimer_clock_t *clock, uint32_t *last_wakeup, uint32_t period)
{
    int32_t left = (int32_t)(*last_wakeup + period - ztimer_now(clock));

    if (left > 0) {
        ztimer_sleep(clock, (uint32_t)left);
    }
    *last_wakeup += period;
}

bool ztimer_acquire(ztimer_clock_t *clock)
{
    (void)clock;
    return true;
}

static void *begin(void *argument)
{
    me = (kernel_pid_t)((thread_t *)argument - threads);
    return threads[me].function(NULL);
}

kernel_pid_t thread_create(char *stack, int stacksize, uint8_t priority, int flags, thread_task_func_t function,
                           void *arg, const char *name)
{
    pthread_t thread;

    (void)stack;
    (void)stacksize;
    (void)priority;
    (void)flags;
    (void)arg;
    (void)name;
    threads[++last].function = function;
    pthread_create(&thread, NULL, begin, &threads[last]);
    return last;
}

thread_t *thread_get(kernel_pid_t pid)
{
    return &threads[pid];
}

void thread_flags_set(thread_t *thread, thread_flags_t mask)
{
    pthread_mutex_lock(&mutex);
    thread->flags |= mask;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

thread_flags_t thread_flags_wait_any(thread_flags_t mask)
{
    thread_flags_t flags;

    pthread_mutex_lock(&mutex);
    while ((threads[me].flags & mask) == 0) {
        pthread_cond_wait(&changed, &mutex);
    }
    flags = threads[me].flags & mask;
    threads[me].flags &= (thread_flags_t)~mask;
    pthread_mutex_unlock(&mutex);
    return flags;
}

void luid_base(void *buf, size_t len)
{
    memset(buf, 0xab, len);
}

void shell_run(const shell_command_t *commands, char *line, int len)
{
    while (fgets(line, len, stdin) != NULL) {
        char *words[4];
        int count = 0;

        for (char *word = strtok(line, " \n"); word != NULL && count < 4; word = strtok(NULL, " \n")) {
            words[count++] = word;
        }
        if (count == 1 && strcmp(words[0], "tick") == 0) {
            GPIORIG_ENTER(ISR_TIMER);
            GPIORIG_EXIT(ISR_TIMER);
            continue;
        }
        if (count == 2 && strcmp(words[0], "request") == 0) {
            posix_request((uint16_t)atoi(words[1]));
            continue;
        }
        for (const shell_command_t *command = commands; count > 0 && command->name != NULL; command++) {
            if (strcmp(command->name, words[0]) == 0) {
                command->handler(count, words);
            }
        }
    }
    exit(0);
}

__attribute__((constructor)) static void start(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    gpiorig_init(); /* in RIOT, part of board_init */
}
