/**
 * Probes in FreeRTOS V11 and V10.4, without a change to it: include this at the end of FreeRTOSConfig.h (docs/guide/freertos.md).
 *
 *     sched.switch                  another task runs; the id is its number
 *     queue.post, .fetch, .drop     a queue, semaphore or mutex; the id is its number
 *                                   a direct-to-task notification; the id is GPIORIG_FREERTOS_NOTIFICATION + the task's number
 *     timer.set                     a task delays itself
 *     sched.sleep                   tickless idle (configUSE_TICKLESS_IDLE)
 *     isr.timer                     the tick, where the port has traceISR_ENTER (ARM_CM3, ARM_CM4F: V11); not if
 *                                   GPIORIG_FREERTOS_ISR is 0, as it must be with cortex-m/vectors.c, which has all interrupts
 *
 * Numbers count from 1 in the order of creation. Tasks: uxTCBNumber, which the kernel counts itself. Queues: uxQueueNumber,
 * which it leaves to trace tools. Both are there when configUSE_TRACE_FACILITY is 1.
 *
 * GPIORIG_FREERTOS_SEMAPHORES 0 leaves semaphores and mutexes out, GPIORIG_FREERTOS_NOTIFICATIONS 0 notifications: kernels before
 * V10.4, whose macros have no index, need that.
 */
#ifndef GPIORIG_FREERTOS_H
#define GPIORIG_FREERTOS_H

#ifndef __ASSEMBLER__

#include "gpiorig/probe.h"

#if !defined GPIORIG_OFF && (!defined configUSE_TRACE_FACILITY || configUSE_TRACE_FACILITY != 1)
#error "gpiorig: FreeRTOSConfig.h must define configUSE_TRACE_FACILITY as 1, before it includes gpiorig_freertos.h"
#endif

#ifndef GPIORIG_FREERTOS_ISR
#define GPIORIG_FREERTOS_ISR 1
#endif
#ifndef GPIORIG_FREERTOS_SEMAPHORES
#define GPIORIG_FREERTOS_SEMAPHORES 1
#endif
#ifndef GPIORIG_FREERTOS_NOTIFICATIONS
#define GPIORIG_FREERTOS_NOTIFICATIONS 1
#endif
#define GPIORIG_FREERTOS_NOTIFICATION 0x100u

#ifndef GPIORIG_OFF

/** From tasks.c alone, so there is one `running`. The kernel reports "switched in" also when the same task continues. */
static inline void gpiorig_freertos_switched(uint32_t task)
{
    static uint32_t running;

    if (task != running) {
        running = task;
        GPIORIG_EVENT_ID(SCHED_SWITCH, task);
    }
}

/** From queue.c alone. */
static inline uint32_t gpiorig_freertos_queue_number(void)
{
    static uint32_t queues;

    return ++queues;
}

/** Port code calls traceISR_EXIT also for interrupts whose beginning it did not report: only the tick has both. */
static inline int gpiorig_freertos_is_tick(void)
{
    uint32_t exception;

    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    return exception == 15u; /* SysTick: ARMv7-M ARM B1.5.2 */
}

#define GPIORIG_FREERTOS_COUNTS(queue) (GPIORIG_FREERTOS_SEMAPHORES || (queue)->uxItemSize != 0) /* semaphores: size 0 */
#define GPIORIG_FREERTOS_QUEUE(POINT, queue)                          \
    do {                                                              \
        if (GPIORIG_FREERTOS_COUNTS(queue)) {                         \
            GPIORIG_EVENT_ID(POINT, (uint32_t)(queue)->uxQueueNumber); \
        }                                                             \
    } while (0)
#define GPIORIG_FREERTOS_NOTIFIED(POINT, task) \
    GPIORIG_EVENT_ID(POINT, GPIORIG_FREERTOS_NOTIFICATION + (uint32_t)(task)->uxTCBNumber)

/* The macros are expanded in tasks.c and queue.c, where pxCurrentTCB and pxTCB have their meaning. */

#define traceTASK_SWITCHED_IN() gpiorig_freertos_switched((uint32_t)pxCurrentTCB->uxTCBNumber)
#define traceTASK_DELAY() GPIORIG_EVENT(TIMER_SET)
#define traceTASK_DELAY_UNTIL(xTimeToWake) GPIORIG_EVENT(TIMER_SET)
#define traceLOW_POWER_IDLE_BEGIN() GPIORIG_ENTER(SCHED_SLEEP)
#define traceLOW_POWER_IDLE_END() GPIORIG_EXIT(SCHED_SLEEP)

#define traceQUEUE_CREATE(pxNewQueue) ((pxNewQueue)->uxQueueNumber = gpiorig_freertos_queue_number())
#define traceQUEUE_SEND(pxQueue) GPIORIG_FREERTOS_QUEUE(QUEUE_POST, pxQueue)
#define traceQUEUE_SEND_FROM_ISR(pxQueue) GPIORIG_FREERTOS_QUEUE(QUEUE_POST, pxQueue)
#define traceQUEUE_SEND_FAILED(pxQueue) GPIORIG_FREERTOS_QUEUE(QUEUE_DROP, pxQueue)
#define traceQUEUE_SEND_FROM_ISR_FAILED(pxQueue) GPIORIG_FREERTOS_QUEUE(QUEUE_DROP, pxQueue)
#define traceQUEUE_RECEIVE(pxQueue) GPIORIG_FREERTOS_QUEUE(QUEUE_FETCH, pxQueue)
#define traceQUEUE_RECEIVE_FROM_ISR(pxQueue) GPIORIG_FREERTOS_QUEUE(QUEUE_FETCH, pxQueue)

#if GPIORIG_FREERTOS_NOTIFICATIONS
#define traceTASK_NOTIFY(uxIndex) GPIORIG_FREERTOS_NOTIFIED(QUEUE_POST, pxTCB)
#define traceTASK_NOTIFY_FROM_ISR(uxIndex) GPIORIG_FREERTOS_NOTIFIED(QUEUE_POST, pxTCB)
#define traceTASK_NOTIFY_GIVE_FROM_ISR(uxIndex) GPIORIG_FREERTOS_NOTIFIED(QUEUE_POST, pxTCB)
#define traceTASK_NOTIFY_TAKE(uxIndex)                                \
    do { /* expanded also when the wait timed out */                  \
        if (pxCurrentTCB->ulNotifiedValue[uxIndex] != 0u) {           \
            GPIORIG_FREERTOS_NOTIFIED(QUEUE_FETCH, pxCurrentTCB);     \
        }                                                             \
    } while (0)
#define traceTASK_NOTIFY_WAIT(uxIndex)                                                    \
    do {                                                                                  \
        if (pxCurrentTCB->ucNotifyState[uxIndex] == taskNOTIFICATION_RECEIVED) {          \
            GPIORIG_FREERTOS_NOTIFIED(QUEUE_FETCH, pxCurrentTCB);                         \
        }                                                                                 \
    } while (0)
#endif

#if GPIORIG_FREERTOS_ISR
#define traceISR_ENTER()                  \
    do {                                  \
        if (gpiorig_freertos_is_tick()) { \
            GPIORIG_ENTER(ISR_TIMER);     \
        }                                 \
    } while (0)
#define traceISR_EXIT()                   \
    do {                                  \
        if (gpiorig_freertos_is_tick()) { \
            GPIORIG_EXIT(ISR_TIMER);      \
        }                                 \
    } while (0)
#define traceISR_EXIT_TO_SCHEDULER() traceISR_EXIT()
#endif

#endif /* GPIORIG_OFF */
#endif /* __ASSEMBLER__ */
#endif
