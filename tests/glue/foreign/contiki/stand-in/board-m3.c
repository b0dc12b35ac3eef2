/** IoT-LAB M3: the clock after reset, USART1 both ways (RM0008 27.6) when there is a console, reset and vectors. */
#include "arch.h"

#include <stddef.h>
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define USART1_IRQ 37u /* RM0008 table 63 */
#define CPU_HZ 8000000u /* HSI, RM0008 7.2.2 */

int main(void);
void reset_handler(void);
#ifdef WITH_CONSOLE
int serial_line_input_byte(unsigned char octet);
int _write(int file, const char *text, int length);
void *_sbrk(int octets);
#endif
extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;

void board_init(void)
{
    REGISTER(0x40021018u) |= 1u << 2 | 1u << 14;                          /* RCC_APB2ENR: GPIOA, USART1 */
    REGISTER(0x40010804u) = (REGISTER(0x40010804u) & ~0xFF0u) | 0x4B0u;   /* CRH: PA9 AF push-pull, PA10 input */
    REGISTER(0x40013808u) = CPU_HZ / 115200;
    REGISTER(0x4001380Cu) = 1u << 13 | 1u << 5 | 1u << 3 | 1u << 2;       /* UE, RXNEIE, TE, RE */
#ifdef WITH_CONSOLE
    REGISTER(0xE000E100u + 4u * (USART1_IRQ / 32u)) = 1u << USART1_IRQ % 32u; /* NVIC_ISER: ARMv7-M ARM B3.4.4 */
#endif
}

#ifdef WITH_CONSOLE
static volatile uint8_t ring[256], written;
static uint8_t taken;

static void usart1_handler(void)
{
    ring[written++] = (uint8_t)REGISTER(0x40013804u);
}

void board_idle(void)
{
    while (taken != written) {
        serial_line_input_byte(ring[taken++]);
    }
}
#else
void board_idle(void)
{
}
#endif

#ifdef WITH_CONSOLE
int _write(int file, const char *text, int length)
{
    (void)file;
    for (int at = 0; at < length; at++) {
        while ((REGISTER(0x40013800u) & 1u << 7) == 0) { /* TXE */
        }
        REGISTER(0x40013804u) = (uint8_t)text[at];
    }
    return length;
}

/** The C library's printf wants memory for its buffer. */
void *_sbrk(int octets)
{
    static uint32_t heap[1024];
    static size_t used;
    void *here = (char *)heap + used;

    used += (size_t)octets;
    return here;
}
#endif

void reset_handler(void)
{
    const uint32_t *from = &data_load;

    for (uint32_t *to = &data_start; to < &data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &bss_start; to < &bss_end;) {
        *to++ = 0;
    }
    main();
}

static void stop(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16 + USART1_IRQ + 1] = {
    &stack_top, (const void *)reset_handler, (const void *)stop, (const void *)stop, (const void *)stop, (const void *)stop,
    (const void *)stop,
#ifdef WITH_CONSOLE
    [16 + USART1_IRQ] = (const void *)usart1_handler,
#endif
};
