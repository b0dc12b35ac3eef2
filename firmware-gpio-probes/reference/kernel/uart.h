/** The serial line to the host: complete lines out through a ring, complete lines in. Writing never waits. */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"

#define UART_LINE_LENGTH 96

/** The actor gets the signal with each line that has come. */
void uart_init(struct actor *listener, uint16_t signal);

/** Queues the bytes, or, when they do not all fit, drops them and counts one line. From any actor, and before kernel_run. */
void uart_write(const char *bytes, uint16_t length);

/** Whether this number of bytes would fit now. */
bool uart_has_room(uint16_t length);

/** Waits until the last byte queued is with the transmitter: to have an interval without UART interrupts. */
void uart_drain(void);

/** Lines dropped since reset because the ring was full. */
uint32_t uart_dropped(void);

/** Takes the line that was signalled, without its end; false when there is none. A line too long comes empty. */
bool uart_read_line(char line[UART_LINE_LENGTH]);

/** The end: prints "fault WHAT WHO", interrupts masked, and stops for a debugger to find. From any context. */
_Noreturn void fault(const char *what, const char *who);

#endif
