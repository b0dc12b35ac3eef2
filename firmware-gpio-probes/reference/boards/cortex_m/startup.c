/** Vector table (PM0056 2.3.4, PM0214 2.3.4) and what runs before main. */
#include <stdint.h>

#include "board.h"
#include "interrupts.h"
#include "uart.h"

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;

int main(void);
void reset_handler(void);

/** The number of the exception that is being handled: PM0056 table 6. */
static unsigned exception_number(void)
{
    unsigned number;

    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number;
}

/** Anything unexpected. */
static void fault_handler(void)
{
    static char number[] = "00";
    unsigned exception = exception_number();

    number[0] = (char)('0' + exception / 10u % 10u);
    number[1] = (char)('0' + exception % 10u);
    fault("exception", number);
}

/** kernel/threads has one. */
__attribute__((weak, alias("fault_handler"))) void pendsv_handler(void);
/** certify has one. */
__attribute__((weak, alias("fault_handler"))) void systick_handler(void);

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
#define PENDSV 14
#define SYSTICK 15

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" /* the range stands for all that have no handler of their own */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    handler handlers[CORE_EXCEPTIONS - 1 + INTERRUPTS];
} vectors = {
    .stack = &stack_top,
    .handlers = {
        [0] = reset_handler,
        [1 ... CORE_EXCEPTIONS - 2 + INTERRUPTS] = fault_handler,
        [PENDSV - 1] = pendsv_handler,
        [SYSTICK - 1] = systick_handler,
#define INTERRUPT(number, its_handler) [CORE_EXCEPTIONS - 1 + (number)] = its_handler,
        INTERRUPT_HANDLERS
    },
};
#pragma GCC diagnostic pop
