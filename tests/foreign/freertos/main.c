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

#define SECONDS 2
#define REGISTER(address) (*(volatile uint32_t *)(address))

/* Console: RM0008 27.6 (USART1 on PA9), RM0351 40.8 (USART2 on PA2). */
#ifdef BOARD_NUCLEO_L476RG
static void console_init(void)
{
    REGISTER(0x4002104Cu) |= 1u;                                              /* RCC_AHB2ENR: GPIOA */
    REGISTER(0x40021058u) |= 1u << 17;                                        /* RCC_APB1ENR1: USART2 */
    REGISTER(0x48000020u) = (REGISTER(0x48000020u) & ~0xF00u) | 7u << 8;      /* AFRL: PA2 AF7 */
    REGISTER(0x48000000u) = (REGISTER(0x48000000u) & ~(3u << 4)) | 2u << 4;   /* MODER */
    REGISTER(0x4000440Cu) = CPU_HZ / 115200;
    REGISTER(0x40004400u) = 1u | 1u << 3;                                     /* UE, TE */
}

static void console_put(char character)
{
    while ((REGISTER(0x4000441Cu) & 1u << 7) == 0) { /* TXE */
    }
    REGISTER(0x40004428u) = (uint8_t)character;
}
#else
static void console_init(void)
{
    REGISTER(0x40021018u) |= 1u << 2 | 1u << 14;                               /* RCC_APB2ENR: GPIOA, USART1 */
    REGISTER(0x40010804u) = (REGISTER(0x40010804u) & ~0xF0u) | 0xBu << 4;      /* CRH: PA9 AF push-pull */
    REGISTER(0x40013808u) = CPU_HZ / 115200;
    REGISTER(0x4001380Cu) = 1u << 13 | 1u << 3;                                /* UE, TE */
}

static void console_put(char character)
{
    while ((REGISTER(0x40013800u) & 1u << 7) == 0) { /* TXE */
    }
    REGISTER(0x40013804u) = (uint8_t)character;
}
#endif

static void print(const char *text)
{
    while (*text != '\0') {
        console_put(*text++);
    }
}

static void print_number(const char *name, uint32_t value)
{
    char digits[11];
    int at = 10;

    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(" ");
    print(name);
    print("=");
    print(&digits[at]);
}

void failed(int line)
{
    taskDISABLE_INTERRUPTS();
    print("failed");
    print_number("line", (uint32_t)line);
    print("\n");
    for (;;) {
    }
}

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

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;

void svc_handler(void);
void pendsv_handler(void);
void systick_handler(void);

static void fault_handler(void)
{
    failed(__LINE__);
}

void reset_handler(void);
void reset_handler(void)
{
    const uint32_t *from = &data_load;

#ifdef __ARM_FP
    REGISTER(0xE000ED88u) |= 0xFu << 20; /* CPACR: the FPU is on */
#endif
    for (uint32_t *to = &data_start; to < &data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &bss_start; to < &bss_end;) {
        *to++ = 0;
    }
    main();
}

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    &stack_top,      reset_handler, fault_handler, fault_handler, fault_handler, fault_handler,  fault_handler, 0, 0, 0, 0,
    svc_handler, fault_handler, 0,             pendsv_handler, systick_handler,
};
