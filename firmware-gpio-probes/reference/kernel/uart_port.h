/** What uart.c asks of a board, and the other way round. */
#ifndef UART_PORT_H
#define UART_PORT_H

#include <stdbool.h>

void uart_port_init(void);

/** From now on the transmitter's interrupt asks for bytes. Interrupts are masked. */
void uart_port_start(void);

/** False once it has asked for one and there was none. */
bool uart_port_is_started(void);

/** Sends a byte when the transmitter has room, without an interrupt. */
void uart_port_send(char byte);

/**
 * Takes a byte that has come, if any. From interrupts of other devices that take longer than a byte does: on a slow board they
 * would make it miss one.
 */
void uart_port_poll(void);

/* From the board's interrupts. */

/** The next byte to send; false when there is none, and the transmitter's interrupt is then switched off. */
bool uart_next(char *byte);

void uart_received(char byte);

#endif
