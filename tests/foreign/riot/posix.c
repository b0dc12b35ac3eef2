/**
 * The application on the PC: RIOT's threads, flags, time and shell on POSIX, and a link whose other end is a peer that
 * answers every request, except when its address is 9. The line `request N` is a request that comes in.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "link.h"
#include "luid.h"
#include "settings.h"
#include "shell.h"
#include "thread.h"
#include "thread_flags.h"
#include "ztimer.h"

#define DEAF 9u

struct gpiorig_host gpiorig_host;

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

static struct {
    bool listening; /* its thread waits for what comes */
    uint16_t length;
    uint8_t bytes[PAYLOAD_MOST];
} boxes[2];

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

/* The link. */

static void put(enum link_end end, const uint8_t *payload, uint16_t length)
{
    pthread_mutex_lock(&mutex);
    memcpy(boxes[end].bytes, payload, length);
    boxes[end].length = length;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

bool link_init(void)
{
    return true;
}

bool link_configure(void)
{
    return true;
}

void link_open(enum link_end end)
{
    boxes[end].length = 0;
}

void link_close(enum link_end end)
{
    (void)end;
}

bool link_send(uint16_t to, const uint8_t *payload, uint16_t length)
{
    uint8_t reply[PAYLOAD_MOST];

    if (payload[0] == KIND_REQUEST && to != DEAF) {
        memcpy(reply, payload, length);
        reply[0] = KIND_REPLY;
        put(LINK_REPLIES, reply, length);
    }
    return true;
}

uint16_t link_receive(enum link_end end, uint8_t *payload, uint16_t size, uint32_t timeout_us, uint16_t *from)
{
    struct timespec until = now();
    uint16_t length;

    until.tv_sec += timeout_us / 1000000;
    until.tv_nsec += (long)(timeout_us % 1000000) * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    boxes[end].listening = true;
    pthread_cond_broadcast(&changed);
    while (boxes[end].length == 0) {
        if (pthread_cond_timedwait(&changed, &mutex, &until) != 0) {
            break;
        }
    }
    boxes[end].listening = false;
    length = boxes[end].length < size ? boxes[end].length : size;
    memcpy(payload, boxes[end].bytes, length);
    boxes[end].length = 0;
    pthread_mutex_unlock(&mutex);
    *from = 2;
    return length;
}

/** In RIOT the responder is more urgent than the shell: it listens by now, and is through before the shell goes on. */
static void await_responder(void)
{
    pthread_mutex_lock(&mutex);
    while (!boxes[LINK_REQUESTS].listening || boxes[LINK_REQUESTS].length != 0) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

void shell_run(const shell_command_t *commands, char *line, int len)
{
    while (fgets(line, len, stdin) != NULL) {
        char *words[4];
        int count = 0;

        for (char *word = strtok(line, " \n"); word != NULL && count < 4; word = strtok(NULL, " \n")) {
            words[count++] = word;
        }
        if (count == 2 && strcmp(words[0], "request") == 0) {
            uint8_t payload[16];

            packet_fill(payload, sizeof payload, KIND_REQUEST, (uint16_t)atoi(words[1]));
            await_responder();
            put(LINK_REQUESTS, payload, sizeof payload);
            await_responder();
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
