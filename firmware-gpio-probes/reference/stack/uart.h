/** The serial line to the host: whole lines out through a ring, whole lines in. Writing never waits. */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stdint.h>

#define UART_LINE_LENGTH 96

void uart_init(void);

/** Queues the bytes, or, when they do not all fit, drops them all and counts one line. */
void uart_write(const char *bytes, uint32_t length);

/** Waits until the last byte queued is with the transmitter: to have a stretch without UART interrupts. */
void uart_drain(void);

/** Lines dropped since reset because the ring was full. */
uint32_t uart_dropped(void);

/** Takes the line that WORK_LINE announced, without its end; false when there is none. A line too long comes empty. */
bool uart_read_line(char line[UART_LINE_LENGTH]);

#endif
