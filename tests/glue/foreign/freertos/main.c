/**
 * A program on the FreeRTOS kernel, unmodified, to see that the virtual boards run what others wrote: tasks of three
 * priorities, a queue, a mutex with priority inheritance, a software timer, notifications, time slicing, and on the
 * Cortex-M4F floating point in tasks that pre-empt each other (lazy stacking).
 *
 * It runs for SECONDS s of its ticks, then says on the console how often everything happened.
 */
#include <stdbool.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"
#include "timers.h"

#include "board.h"

#define SECONDS 2
static QueueHandle_t queue;
static SemaphoreHandle_t mutex;
static TaskHandle_t notified;
static volatile uint32_t idle_turns;
static uint32_t sent, received, timed, notifications, sliced[2], locked;

void vApplicationIdleHook(void)
{
    idle_turns++;
    __asm__ volatile("wfi");
}

static void producer(void *unused)
{
    TickType_t woken = xTaskGetTickCount();

    (void)unused;
    for (;;) {
        configASSERT(xTaskDelayUntil(&woken, 2) == pdTRUE);
        configASSERT(xQueueSend(queue, &sent, 0) == pdPASS);
        sent++;
    }
}

static void consumer(void *unused)
{
    uint32_t value;

    (void)unused;
    for (;;) {
        configASSERT(xQueueReceive(queue, &value, 100) == pdPASS);
        configASSERT(value == received);
        received++;
        if (received % 10 == 0) {
            xTaskNotifyGive(notified);
        }
    }
}

static void listener(void *unused)
{
    (void)unused;
    for (;;) {
        configASSERT(ulTaskNotifyTake(pdTRUE, 100) == 1);
        configASSERT(xSemaphoreTake(mutex, 100) == pdTRUE);
        locked++;
        xSemaphoreGive(mutex);
        notifications++;
    }
}

/** Sums, in floating point, what no pre-emption may disturb. Exact: all values are small integers over 4. */
static void worker(void *argument)
{
    uint32_t index = (uint32_t)(uintptr_t)argument;

    for (;;) {
        float sum = 0.0f;
        float step = 0.25f * (float)(index + 1);

        for (int i = 0; i < 100; i++) {
            sum += step;
        }
        configASSERT(sum == 25.0f * (float)(index + 1));
        configASSERT(xSemaphoreTake(mutex, 100) == pdTRUE);
        sliced[index]++;
        xSemaphoreGive(mutex);
        if (sliced[index] % 16 == 0) {
            vTaskDelay(1);
        }
    }
}

static void tick(TimerHandle_t unused)
{
    (void)unused;
    timed++;
}

static void reporter(void *unused)
{
    (void)unused;
    vTaskDelay(SECONDS * configTICK_RATE_HZ);
    vTaskSuspendAll();
    print("done");
    print_number("ticks", xTaskGetTickCount());
    print_number("sent", sent);
    print_number("received", received);
    print_number("notifications", notifications);
    print_number("locked", locked);
    print_number("timed", timed);
    print_number("worker0", sliced[0]);
    print_number("worker1", sliced[1]);
    print_number("idle", idle_turns);
    print("\n");
    for (;;) {
    }
}

int main(void)
{
    console_init();
    print("boot " tskKERNEL_VERSION_NUMBER "\n");
    queue = xQueueCreate(4, sizeof(uint32_t));
    mutex = xSemaphoreCreateMutex();
    xTaskCreate(producer, "produce", 128, NULL, 3, NULL);
    xTaskCreate(consumer, "consume", 128, NULL, 2, NULL);
    xTaskCreate(listener, "listen", 128, NULL, 3, &notified);
    xTaskCreate(worker, "work0", 128, (void *)0, 1, NULL);
    xTaskCreate(worker, "work1", 128, (void *)1, 1, NULL);
    xTaskCreate(reporter, "report", 128, NULL, 4, NULL);
    xTimerStart(xTimerCreate("tick", 10, pdTRUE, NULL, tick), 0);
    vTaskStartScheduler();
    failed(__LINE__);
}
