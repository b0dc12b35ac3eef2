/** Threads run on PSP, interrupts on MSP; PendSV switches (PM0056 2.1.2, 2.3.2). */
#ifndef THREAD_SWITCH_H
#define THREAD_SWITCH_H

#include <stdint.h>

/* What an exception pushes, with the word that aligns it, and R4 to R11: PM0056 2.3.7. */
#define THREAD_CONTEXT_BYTES (36u + 32u)

#define SCB_ICSR (*(volatile uint32_t *)0xE000ED04u) /* PM0056 4.4.3 */
#define SCB_ICSR_PENDSVSET (1u << 28)

/** From any context; the switch comes when no other interrupt is active or pending. */
static inline void thread_request_switch(void)
{
    SCB_ICSR = SCB_ICSR_PENDSVSET;
}

#endif
