/** Vector table (PM0214 2.3.4, RM0351 13.3 table 57) and what runs before main. */
#include <stdint.h>

#include "interrupts.h"

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;

int main(void);
void reset_handler(void);

/** Anything unexpected stops here, interrupts masked, for a debugger to find. */
static void fault_handler(void)
{
    __asm__ volatile("cpsid i");
    for (;;) {
    }
}

__attribute__((noreturn)) void reset_handler(void)
{
    const uint32_t *from = &data_load;

    for (uint32_t *to = &data_start; to < &data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &bss_start; to < &bss_end;) {
        *to++ = 0;
    }
    main();
    for (;;) {
    }
}

typedef void (*handler)(void);

#define CORE_EXCEPTIONS 16
#define INTERRUPTS 82

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" /* the ranges stand for all that have no handler of their own */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    handler handlers[CORE_EXCEPTIONS - 1 + INTERRUPTS];
} vectors = {
    .stack = &stack_top,
    .handlers = {
        [0] = reset_handler,
        [1 ... CORE_EXCEPTIONS - 2] = fault_handler,
        [CORE_EXCEPTIONS - 1 ... CORE_EXCEPTIONS - 2 + INTERRUPTS] = fault_handler,
        [CORE_EXCEPTIONS - 1 + 23] = exti9_5_handler,
        [CORE_EXCEPTIONS - 1 + 28] = tim2_handler,
        [CORE_EXCEPTIONS - 1 + 38] = usart2_handler,
    },
};
#pragma GCC diagnostic pop
