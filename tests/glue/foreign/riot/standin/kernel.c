/**
 * Threads with fixed priorities, messages and flags, as RIOT's behave at the calls that the glue wraps:
 * a more urgent receiver runs within the sender's call, and without an idle thread PendSV sleeps.
 */
#include "irq.h"
#include "standin.h"

#define ICSR (*(volatile uint32_t *)0xE000ED04u) /* ARMv7-M B3.2.4: PENDSVSET 28 */

struct _thread {
    uint32_t *stack;
    msg_t *receiving; /* waits in msg_receive */
    msg_t queue[QUEUE_LENGTH];
    unsigned head, count;
    thread_flags_t flags, mask;
    uint8_t priority;
    bool exists, blocked;
};

static thread_t threads[KERNEL_PID_LAST + 1];
static volatile kernel_pid_t active;
static sched_callback_t callback;

unsigned irq_disable(void)
{
    unsigned state;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(state) : : "memory");
    return state;
}

void irq_restore(unsigned state)
{
    __asm__ volatile("msr primask, %0" : : "r"(state) : "memory");
}

bool irq_is_in(void)
{
    uint32_t exception;

    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    return exception != 0;
}

void sched_register_cb(sched_callback_t function)
{
    callback = function;
}

kernel_pid_t thread_getpid(void)
{
    return active;
}

thread_t *thread_get_active(void)
{
    return &threads[active];
}

static void yield(void)
{
    ICSR = 1u << 28;
    __asm__ volatile("dsb\n\tisb" : : : "memory");
}

void thread_block(void)
{
    threads[active].blocked = true;
    yield();
}

void thread_wake(kernel_pid_t pid)
{
    threads[pid].blocked = false;
    if (active == KERNEL_PID_UNDEF || threads[pid].priority < threads[active].priority) {
        yield();
    }
}

static kernel_pid_t most_urgent(void)
{
    kernel_pid_t best = KERNEL_PID_UNDEF;

    for (kernel_pid_t pid = 1; pid <= KERNEL_PID_LAST; pid++) {
        if (threads[pid].exists && !threads[pid].blocked &&
            (best == KERNEL_PID_UNDEF || threads[pid].priority < threads[best].priority)) {
            best = pid;
        }
    }
    return best;
}

/** In PendSV, the least urgent exception: saves one stack pointer, gives another. */
__attribute__((used)) static uint32_t *switch_stack(uint32_t *stack)
{
    kernel_pid_t next;

    __asm__ volatile("cpsid i" : : : "memory");
    if (active != KERNEL_PID_UNDEF && most_urgent() == active) {
        __asm__ volatile("cpsie i" : : : "memory");
        return stack;
    }
    threads[active].stack = stack;
    if (active != KERNEL_PID_UNDEF) {
        callback(active, KERNEL_PID_UNDEF);
    }
    active = KERNEL_PID_UNDEF;
    while ((next = most_urgent()) == KERNEL_PID_UNDEF) {
        __asm__ volatile("wfi\n\tcpsie i\n\tisb\n\tcpsid i" : : : "memory");
    }
    active = next;
    callback(KERNEL_PID_UNDEF, next);
    __asm__ volatile("cpsie i" : : : "memory");
    return threads[next].stack;
}

void isr_pendsv(void);
__attribute__((naked)) void isr_pendsv(void)
{
    __asm__ volatile("mrs r0, psp\n\tstmdb r0!, {r4-r11}\n\tpush {r3, lr}\n\tbl switch_stack\n\tpop {r3, lr}\n\t"
                     "ldmia r0!, {r4-r11}\n\tmsr psp, r0\n\tmvn lr, #2\n\tbx lr"); /* to a thread, on its stack */
}

kernel_pid_t thread_create(char *stack, int stacksize, uint8_t priority, int flags, thread_task_func_t function,
                           void *arg, const char *name)
{
    kernel_pid_t pid = 1;
    uint32_t *top = (uint32_t *)((uintptr_t)(stack + stacksize) & ~7u);

    (void)flags;
    (void)name;
    while (threads[pid].exists) {
        pid++;
    }
    *--top = 1u << 24; /* xPSR: Thumb; PC, LR, R12, R3 to R0: ARMv7-M B1.5.6 */
    *--top = (uint32_t)(uintptr_t)function;
    *--top = 0;
    top -= 4;
    *--top = (uint32_t)(uintptr_t)arg;
    top -= 8; /* R4 to R11 */
    threads[pid] = (thread_t){ .stack = top, .priority = priority, .exists = true };
    if (active != KERNEL_PID_UNDEF) {
        thread_wake(pid);
    }
    return pid;
}

_Noreturn void kernel_start(void)
{
    static uint32_t scratch[32];

    __asm__ volatile("msr psp, %0" : : "r"(scratch + 32));
    yield();
    for (;;) {
    }
}

void msg_init_queue(msg_t *array, int num)
{
    (void)array; /* the stand-in's threads have one of 8 */
    (void)num;
}

int msg_try_send(msg_t *m, kernel_pid_t target)
{
    thread_t *to = &threads[target];
    unsigned state = irq_disable();
    int result = 1;

    m->sender_pid = active;
    if (to->receiving != NULL) {
        *to->receiving = *m;
        to->receiving = NULL;
        thread_wake(target);
    } else if (to->count == QUEUE_LENGTH) {
        result = 0;
    } else {
        to->queue[(to->head + to->count++) % QUEUE_LENGTH] = *m;
        thread_flags_set(to, THREAD_FLAG_MSG_WAITING);
    }
    irq_restore(state);
    return result;
}

int msg_try_receive(msg_t *m)
{
    thread_t *me = &threads[active];
    unsigned state = irq_disable();
    int result = -1;

    if (me->count > 0) {
        *m = me->queue[me->head];
        me->head = (me->head + 1) % QUEUE_LENGTH;
        me->count--;
        result = 1;
    }
    irq_restore(state);
    return result;
}

int msg_receive(msg_t *m)
{
    thread_t *me = &threads[active];
    unsigned state = irq_disable();

    if (me->count > 0) {
        *m = me->queue[me->head];
        me->head = (me->head + 1) % QUEUE_LENGTH;
        me->count--;
    } else {
        me->receiving = m;
        thread_block();
    }
    irq_restore(state);
    return 1;
}

void thread_flags_set(thread_t *thread, thread_flags_t mask)
{
    unsigned state = irq_disable();

    thread->flags |= mask;
    if ((thread->flags & thread->mask) != 0) {
        thread->mask = 0;
        thread_wake((kernel_pid_t)(thread - threads));
    }
    irq_restore(state);
}

thread_flags_t thread_flags_wait_any(thread_flags_t mask)
{
    thread_t *me = &threads[active];
    unsigned state = irq_disable();
    thread_flags_t flags;

    if ((me->flags & mask) == 0) {
        me->mask = mask;
        thread_block();
        irq_restore(state); /* switched away here */
        state = irq_disable();
    }
    flags = me->flags & mask;
    me->flags &= (thread_flags_t)~mask;
    irq_restore(state);
    return flags;
}
