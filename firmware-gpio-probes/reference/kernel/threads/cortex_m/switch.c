#include "kernel.h"
#include "thread_core.h"

#define XPSR_THUMB (1u << 24)
#define CALLEE_SAVED 8u /* R4 to R11 */
#define PENDSV_PRIORITY (*(volatile uint8_t *)0xE000ED22u) /* in SHPR3: PM0056 4.4.8 */
#define MIN_URGENCY 0xFFu

/* Frame of an exception: R0 to R3, R12, LR, PC, xPSR (PM0056 2.3.7). */
void *thread_prepare(void *top, void (*entry)(void *), void *argument)
{
    uint32_t *frame = (uint32_t *)top - 8;

    for (unsigned i = 1; i < 6; i++) {
        frame[i] = 0;
    }
    frame[0] = (uint32_t)argument;
    frame[6] = (uint32_t)entry & ~1u;
    frame[7] = XPSR_THUMB;
    for (unsigned i = 1; i <= CALLEE_SAVED; i++) {
        frame[-(int)i] = 0;
    }
    return frame - CALLEE_SAVED;
}

/** Idle continues 1 KiB below, which is left to the interrupts: two of other urgency and the switch may nest. */
__attribute__((naked, noreturn)) static void run_on_process_stack(void (*idle)(void))
{
    (void)idle;
    __asm__ volatile("mrs r1, msp\n\t"
                     "sub r1, r1, #1024\n\t"
                     "msr psp, r1\n\t"
                     "movs r1, #2\n\t" /* CONTROL.SPSEL: PM0056 table 5 */
                     "msr control, r1\n\t"
                     "isb\n\t"
                     "bx r0");
}

void thread_start(void (*idle)(void))
{
    PENDSV_PRIORITY = MIN_URGENCY;
    run_on_process_stack(idle);
}

void pendsv_handler(void);

__attribute__((naked)) void pendsv_handler(void)
{
    __asm__ volatile("mrs r0, psp\n\t"
                     "stmdb r0!, {r4-r11}\n\t"
                     "push {r3, lr}\n\t" /* two words: the stack stays aligned to 8 */
                     "bl kernel_switch\n\t"
                     "pop {r3, lr}\n\t"
                     "ldmia r0!, {r4-r11}\n\t"
                     "msr psp, r0\n\t"
                     "bx lr");
}
