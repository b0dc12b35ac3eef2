#include "worker.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "app.h"
#include "board.h"
#include "ipv6.h"
#include "mac.h"
#include "settings.h"
#include "sixlowpan.h"
#include "timer.h"
#include "udp.h"

#define DUE SIGNAL(0)

/* A power of two, so that no product of loops and a shorter time exceeds 32 bits, and the timer's 1 us is 0.01 % of it. */
#define CALIBRATED_US 8192u
#define FEWEST_LOOPS 64u

struct worker {
    struct actor *actor;
    const uint32_t *on_us, *period_us, *phase_us, *priority; /* settings */
    struct alarm alarm;
    uint32_t loops; /* in on_us */
    uint32_t due_us;
    volatile bool pending; /* due, not done yet */
    uint32_t runs, missed, wait_us, max_wait_us, took_us, max_took_us;
};

static void expired(struct alarm *alarm);

static struct worker worker_a = {
    .actor = &worker_a_actor,
    .on_us = &settings.worker_a_on_us,
    .period_us = &settings.worker_a_period_us,
    .phase_us = &settings.worker_a_phase_us,
    .priority = &settings.worker_a_priority,
    .alarm = { .expired = expired },
};
static struct worker worker_b = {
    .actor = &worker_b_actor,
    .on_us = &settings.worker_b_on_us,
    .period_us = &settings.worker_b_period_us,
    .phase_us = &settings.worker_b_phase_us,
    .priority = &settings.worker_b_priority,
    .alarm = { .expired = expired },
};

static uint32_t loops_in_calibrated_us;
static uint32_t own_us; /* of a run, for its two looks at the timer */

/** The same instructions at the same addresses, whoever calls. */
__attribute__((noinline)) static void loop(uint32_t times)
{
    for (; times > 0; times--) {
        __asm__ volatile("");
    }
}

void worker_calibrate(void)
{
    irq_state state = irq_lock();
    uint32_t times = FEWEST_LOOPS, took_us;

    for (;; times *= 2u) {
        uint32_t start_us = timer_now();

        loop(times);
        took_us = timer_now() - start_us;
        if (took_us >= CALIBRATED_US) {
            break;
        }
    }
    own_us = timer_now();
    (void)timer_now();
    own_us = timer_now() - own_us;
    irq_unlock(state);
    /* In two steps: times * CALIBRATED_US would exceed 32 bits on a fast processor. */
    loops_in_calibrated_us = times / took_us * CALIBRATED_US + times % took_us * CALIBRATED_US / took_us;
}

static uint32_t loops_for(uint32_t on_us)
{
    on_us -= on_us < own_us ? on_us : own_us;
    return on_us / CALIBRATED_US * loops_in_calibrated_us + on_us % CALIBRATED_US * loops_in_calibrated_us / CALIBRATED_US;
}

/** In the timer's interrupt, so that the period does not depend on when the task runs. */
static void expired(struct alarm *alarm)
{
    struct worker *worker = alarm == &worker_a.alarm ? &worker_a : &worker_b;
    uint32_t due_us = alarm->deadline_us;

    alarm_set(alarm, due_us + *worker->period_us);
    if (worker->pending) {
        worker->missed++;
        return;
    }
    worker->pending = true;
    worker->due_us = due_us;
    GPIORIG_EVENT_ID(TASK_DUE, worker->actor->id);
    actor_signal(worker->actor, DUE);
}

static void add(uint32_t *sum_us, uint32_t *longest_us, uint32_t us)
{
    *sum_us += us;
    if (us > *longest_us) {
        *longest_us = us;
    }
}

static void run(struct worker *worker)
{
    uint32_t begun_us = timer_now();

    loop(worker->loops);
    worker->runs++;
    add(&worker->wait_us, &worker->max_wait_us, begun_us - worker->due_us);
    add(&worker->took_us, &worker->max_took_us, timer_now() - begun_us);
    worker->pending = false;
}

static void handle_a(const struct message *message)
{
    (void)message;
    run(&worker_a);
}

static void handle_b(const struct message *message)
{
    (void)message;
    run(&worker_b);
}

SIGNALLED_ACTOR(worker_a_actor, ACTOR_WORKER_A, handle_a, PRIORITIES, 256);
SIGNALLED_ACTOR(worker_b_actor, ACTOR_WORKER_B, handle_b, PRIORITIES, 256);

/** All layers get one priority; 0 leaves them what they have: at first those of RIOT, where each layer is defined. */
static void set_layer_priorities(void)
{
    static struct actor *const layers[] = { &mac_actor, &sixlowpan_actor, &ipv6_actor, &udp_actor, &app_actor };

    for (unsigned i = 0; settings.layer_priority != 0 && i < sizeof layers / sizeof layers[0]; i++) {
        actor_set_priority(layers[i], (uint8_t)settings.layer_priority);
    }
}

static void start(struct worker *worker)
{
    worker->runs = worker->missed = 0;
    worker->wait_us = worker->max_wait_us = worker->took_us = worker->max_took_us = 0;
    worker->pending = false;
    worker->loops = loops_for(*worker->on_us);
    actor_set_priority(worker->actor, (uint8_t)*worker->priority);
    if (*worker->on_us > 0) {
        alarm_set(&worker->alarm, timer_now() + (*worker->phase_us > 0 ? *worker->phase_us : *worker->period_us));
    }
}

void worker_start(void)
{
    worker_stop();
    set_layer_priorities();
    start(&worker_a);
    start(&worker_b);
}

void worker_stop(void)
{
    alarm_cancel(&worker_a.alarm);
    alarm_cancel(&worker_b.alarm);
}

static void pair(struct line *line, char task, const char *key, uint32_t number)
{
    const char name[] = { ' ', task, '_', '\0' };

    line_text(line, name);
    line_text(line, key);
    line_text(line, "=");
    line_number(line, number);
}

static void report(struct line *line, char task, const struct worker *worker)
{
    pair(line, task, "runs", worker->runs);
    pair(line, task, "missed", worker->missed);
    pair(line, task, "wait_us", worker->wait_us);
    pair(line, task, "max_wait_us", worker->max_wait_us);
    pair(line, task, "took_us", worker->took_us);
    pair(line, task, "max_took_us", worker->max_took_us);
}

void worker_report(struct line *line)
{
    line_pair(line, "loops", loops_in_calibrated_us);
    report(line, 'a', &worker_a);
    report(line, 'b', &worker_b);
}
