/*
 * Firmware for tests of the virtual bench, on an IoT-LAB M3 at its reset clock of 8 MHz (HSI, RM0008 7.2.2): a tick
 * every millisecond toggles PB9 (strobe), and it never sleeps; every 20th one prints "tick N";
 * a line that comes in is echoed as "got LINE".
 */
#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))
#define RCC_APB2ENR REG(0x40021018u) /* RM0008 7.3.7: AFIO 0, IOPA 2, IOPB 3, USART1 14 */
#define GPIOA_CRH REG(0x40010804u)   /* RM0008 9.2.2 */
#define GPIOB_CRH REG(0x40010C04u)
#define GPIOB_ODR REG(0x40010C0Cu) /* RM0008 9.2.4 */
#define USART1_SR REG(0x40013800u) /* RM0008 27.6: RXNE 5, TXE 7 */
#define USART1_DR REG(0x40013804u)
#define USART1_BRR REG(0x40013808u)
#define USART1_CR1 REG(0x4001380Cu) /* RE 2, TE 3, UE 13 */
#define SYST_CSR REG(0xE000E010u)   /* ARMv7-M B3.3: ENABLE 0, TICKINT 1, CLKSOURCE 2 */
#define SYST_RVR REG(0xE000E014u)

extern uint32_t stack_top;
static volatile uint32_t ticks;

static void tick_handler(void)
{
    ticks++;
    GPIOB_ODR ^= 1u << 9;
}

static char line[64];
static uint32_t length;
static int complete;

/* Called often enough that no byte (20 us) is lost. */
static void receive(void)
{
    if ((USART1_SR & (1u << 5)) == 0 || complete) {
        return;
    }
    const char got = (char)USART1_DR;
    if (got == '\n') {
        complete = 1;
    } else if (length < sizeof line) {
        line[length++] = got;
    }
}

static void put(const char *text, uint32_t count)
{
    for (uint32_t at = 0; at < count; at++) {
        while ((USART1_SR & (1u << 7)) == 0) {
            receive();
        }
        USART1_DR = (uint8_t)text[at];
    }
}

static void put_number(uint32_t value)
{
    char digits[10];
    uint32_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0);
    put(digits + at, sizeof digits - at);
}

__attribute__((noreturn)) void reset_handler(void)
{
    uint32_t printed = 0;

    ticks = 0; /* nothing clears .bss here */
    length = 0;
    complete = 0;
    RCC_APB2ENR = 1u << 0 | 1u << 2 | 1u << 3 | 1u << 14;
    GPIOA_CRH = 0x444444B4u; /* PA9 alternate function, PA10 floating input */
    GPIOB_CRH = 0x44444434u; /* PB9 output */
    USART1_BRR = 16;         /* 8 MHz / 16 = 500 kbaud */
    USART1_CR1 = 1u << 13 | 1u << 3 | 1u << 2;
    SYST_RVR = 8000u - 1u;
    SYST_CSR = 7u;
    for (;;) {
        if (ticks >= printed + 20u) {
            printed += 20u;
            put("tick ", 5);
            put_number(printed);
            put("\n", 1);
        }
        receive();
        if (complete) {
            put("got ", 4);
            put(line, length);
            put("\n", 1);
            length = 0;
            complete = 0;
        }
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))&stack_top, reset_handler, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, tick_handler,
};
