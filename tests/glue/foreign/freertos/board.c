/** Reset, vectors and console of the STM32F103RE, the STM32L476RG and the nRF52840, for FreeRTOS programs. */
#include "FreeRTOS.h"
#include "task.h"

#include "board.h"

/* Console: RM0008 27.6 (USART1 on PA9), RM0351 40.8 (USART2 on PA2), nRF52840 PS "UART" (UART0 on P0.06). */
#ifdef BOARD_NUCLEO_L476RG
void console_init(void)
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
#elif defined BOARD_NRF52840DK
#define TIMER0 0x40008000u
#define TIMER0_IRQ 8u
void timer0_handler(void);
void systick_handler(void);

void console_init(void)
{
    REGISTER(0x50000508u) = 1u << 6;        /* P0.OUTSET */
    REGISTER(0x50000718u) = 3u;             /* PIN_CNF[6]: output */
    REGISTER(0x4000250Cu) = 6u;             /* PSELTXD */
    REGISTER(0x40002524u) = 0x01D60000u;    /* BAUDRATE: 115200 */
    REGISTER(0x40002500u) = 4u;             /* ENABLE */
    REGISTER(0x40002008u) = 1u;             /* STARTTX */
}

static void console_put(char character)
{
    REGISTER(0x4000211Cu) = 0; /* TXDRDY */
    REGISTER(0x4000251Cu) = (uint8_t)character;
    while (REGISTER(0x4000211Cu) == 0) {
    }
}

/* The kernel's tick: SysTick stands while this core sleeps, TIMER0 does not (PS, "TIMER"). */
void vPortSetupTimerInterrupt(void)
{
    REGISTER(TIMER0 + 0x508u) = 3u;                         /* BITMODE: 32 bits */
    REGISTER(TIMER0 + 0x510u) = 4u;                         /* PRESCALER: 1 MHz */
    REGISTER(TIMER0 + 0x540u) = 1000000u / configTICK_RATE_HZ;
    REGISTER(TIMER0 + 0x200u) = 1u;                         /* SHORTS: COMPARE0 clears */
    REGISTER(TIMER0 + 0x304u) = 1u << 16;                   /* INTENSET: COMPARE0 */
    *(volatile uint8_t *)(0xE000E400u + TIMER0_IRQ) = configKERNEL_INTERRUPT_PRIORITY;
    REGISTER(0xE000E100u) = 1u << TIMER0_IRQ;
    REGISTER(TIMER0) = 1u;
}

void timer0_handler(void)
{
    REGISTER(TIMER0 + 0x140u) = 0;
    (void)REGISTER(TIMER0 + 0x140u); /* cleared before the handler ends: PS, "Peripheral interface" */
    systick_handler();
}
#else
void console_init(void)
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

void print(const char *text)
{
    while (*text != '\0') {
        console_put(*text++);
    }
}

void print_number(const char *name, uint32_t value)
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

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;

void svc_handler(void);
void pendsv_handler(void);
void systick_handler(void);
int main(void);

__attribute__((weak)) void pended_handler(void)
{
    failed(__LINE__);
}

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

__attribute__((section(".vectors"), used)) static void *const vectors[16 + IRQS] = {
    &stack_top,      reset_handler, fault_handler, fault_handler, fault_handler, fault_handler,  fault_handler, 0, 0, 0, 0,
    svc_handler, fault_handler, 0,             pendsv_handler, systick_handler, [16 + PENDED_IRQ] = pended_handler,
#ifdef BOARD_NRF52840DK
    [16 + TIMER0_IRQ] = timer0_handler,
#endif
};
