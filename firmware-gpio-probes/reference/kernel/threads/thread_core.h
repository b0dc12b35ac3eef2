/** What the kernel asks of a processor core, and the other way round. */
#ifndef THREAD_CORE_H
#define THREAD_CORE_H

/** Prepares a stack whose end is `top`, so that a switch to it calls entry(argument); the stack pointer to switch to. */
void *thread_prepare(void *top, void (*entry)(void *), void *argument);

/** Interrupts get a stack of their own, and `idle` is the thread that runs from now on. */
_Noreturn void thread_start(void (*idle)(void));

/**
 * From the switch, the least urgent of all interrupts, which thread_request_switch (thread_switch.h) asks for: takes the stack
 * pointer of the thread it has interrupted, returns that of the thread to continue with.
 */
void *kernel_switch(void *stack_pointer);

#endif
