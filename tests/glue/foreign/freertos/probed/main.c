/**
 * What freertos/gpiorig_freertos.h shows on the pins, on the unmodified kernel, beside counts of the program's own:
 *
 *     producer   every 2 ticks one message; every 20th time six, of which the queue of four takes four
 *     consumer   less urgent; after every tenth message it pends an interrupt, whose handler posts to the second queue
 *     listener   most urgent; fetches from the second queue, notifies itself twice a message, and takes and waits for that
 *
 * After TICKS ticks the reporter says the counts.
 */
#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

#include "gpiorig/probe.h"

#ifdef WITH_VECTORS
#include "vectors.h"
#endif

#include "../board.h"

#define TICKS 400
#define CALIBRATIONS 8

enum { TASK_PRODUCER = 1, TASK_CONSUMER, TASK_LISTENER, TASK_REPORTER };

static QueueHandle_t messages, signals;
static SemaphoreHandle_t mutex;
static TaskHandle_t listening;
static uint32_t posted, fetched, dropped, interrupts, heard, notified, delays;
static volatile uint32_t switches;

void counted_switch(const void *from)
{
    static const void *last;

    if (from != last) {
        last = from;
        switches++;
    }
}

void vApplicationIdleHook(void)
{
    __asm__ volatile("wfi");
}

static void producer(void *unused)
{
    TickType_t woken = xTaskGetTickCount();

    (void)unused;
    for (uint32_t turn = 1;; turn++) {
        delays++;
        xTaskDelayUntil(&woken, 2);
        for (int burst = turn % 20 == 0 ? 6 : 1; burst > 0; burst--) {
            if (xQueueSend(messages, &turn, 0) == pdPASS) {
                posted++;
            } else {
                dropped++;
            }
        }
    }
}

static void consumer(void *unused)
{
    uint32_t value;

    (void)unused;
    for (;;) {
        configASSERT(xQueueReceive(messages, &value, portMAX_DELAY) == pdPASS);
        fetched++;
        if (fetched % 10 == 0) {
            REGISTER(0xE000E200u + 4u * (PENDED_IRQ / 32u)) = 1u << PENDED_IRQ % 32u; /* NVIC_ISPR: ARMv7-M ARM B3.4.5 */
        }
    }
}

void pended_handler(void)
{
    BaseType_t woken = pdFALSE;

    interrupts++;
    configASSERT(xQueueSendFromISR(signals, &interrupts, &woken) == pdPASS);
    portYIELD_FROM_ISR(woken);
}

static void listener(void *unused)
{
    uint32_t value;

    (void)unused;
    for (;;) {
        configASSERT(xQueueReceive(signals, &value, portMAX_DELAY) == pdPASS);
        heard++;
        xTaskNotifyGive(listening);
        configASSERT(ulTaskNotifyTake(pdTRUE, 0) == 1);
        notified++;
        configASSERT(ulTaskNotifyTake(pdTRUE, 0) == 0); /* nothing came: nothing fetched */
        xTaskNotify(listening, value, eSetValueWithOverwrite);
        configASSERT(xTaskNotifyWait(0, UINT32_MAX, &value, 0) == pdTRUE);
        notified++;
        configASSERT(xTaskNotifyWait(0, UINT32_MAX, &value, 0) == pdFALSE);
        configASSERT(xSemaphoreTake(mutex, 0) == pdTRUE);
        configASSERT(xSemaphoreGive(mutex) == pdTRUE);
    }
}

static void reporter(void *unused)
{
    (void)unused;
    delays++;
    vTaskDelay(TICKS);
    taskDISABLE_INTERRUPTS();
    print("done");
    print_number("frames", gpiorig_frames());
    print_number("ticks", xTaskGetTickCountFromISR());
    print_number("switches", switches + 1); /* the first task was not switched to from another */
    print_number("posted", posted);
    print_number("fetched", fetched);
    print_number("dropped", dropped);
    print_number("interrupts", interrupts);
    print_number("heard", heard);
    print_number("notified", notified);
    print_number("delays", delays);
    print("\n");
    for (;;) {
    }
}

int main(void)
{
    console_init();
    gpiorig_init();
    gpiorig_wiring_proof();
    gpiorig_calibrate(CALIBRATIONS);
#ifdef WITH_VECTORS
    gpiorig_vectors_init();
#endif
    messages = xQueueCreate(4, sizeof(uint32_t));
    signals = xQueueCreate(4, sizeof(uint32_t));
    mutex = xSemaphoreCreateMutex();
    xTaskCreate(producer, "produce", 128, NULL, 3, NULL);
    xTaskCreate(consumer, "consume", 128, NULL, 2, NULL);
    xTaskCreate(listener, "listen", 128, NULL, 4, &listening);
    xTaskCreate(reporter, "report", 128, NULL, 4, NULL);
    REGISTER(0xE000E400u + PENDED_IRQ) = 10u << 4;                                            /* NVIC_IPR */
    REGISTER(0xE000E100u + 4u * (PENDED_IRQ / 32u)) = 1u << PENDED_IRQ % 32u;                 /* NVIC_ISER */
    vTaskStartScheduler();
    failed(__LINE__);
}
