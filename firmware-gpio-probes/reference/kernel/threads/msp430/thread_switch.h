/**
 * Interrupts do not nest here and have a stack of their own (startup.S). An interrupt flag of port 2 that software sets
 * (SLAU049F 9.2.6) switches: its vector is the last but one. P2.5 carries the DCO's resistor on the TelosB, no edges.
 */
#ifndef THREAD_SWITCH_H
#define THREAD_SWITCH_H

#include <stdint.h>

/* PC, SR, and R4 to R15. */
#define THREAD_CONTEXT_BYTES (4u + 24u)

#define THREAD_SWITCH_BIT 0x20

/** From any context; the switch comes when no other interrupt is pending. One instruction. */
static inline void thread_request_switch(void)
{
    __asm__ volatile("bis.b %0, &0x2B" : : "i"(THREAD_SWITCH_BIT) : "memory"); /* P2IFG: SLAS368 */
}

#endif
