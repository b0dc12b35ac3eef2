/* UART0 at 1 Mbaud, P0.06 and P0.08, which the debugger on the board passes on (nRF52840 DK user guide, virtual COM port). */
#include "uart_port.h"

#include "board.h"
#include "interrupts.h"

#define TXD 6u
#define RXD 8u

static volatile bool is_started;
static bool is_sending; /* a byte is in the transmitter: TXDRDY will come */

void uart_port_init(void)
{
    P0_OUTSET = 1u << TXD;
    P0_PIN_CNF(TXD) = PIN_CNF_OUTPUT;
    P0_PIN_CNF(RXD) = PIN_CNF_INPUT;
    UART0_PSELTXD = TXD;
    UART0_PSELRXD = RXD;
    UART0_BAUDRATE = UART_BAUDRATE_1M;
    UART0_ENABLE = UART_ENABLED;
    UART0_INTENSET = UART_RXDRDY | UART_TXDRDY;
    UART0_TASKS_STARTTX = 1;
    UART0_TASKS_STARTRX = 1;
    nvic_enable(IRQ_UART0, 2);
}

static void transmit(void)
{
    char byte;

    is_started = uart_next(&byte);
    is_sending = is_started;
    if (is_started) {
        UART0_TXD = (uint8_t)byte;
    }
}

/* TXDRDY comes after a byte only: the first one is sent here. */
void uart_port_start(void)
{
    if (!is_started) {
        transmit();
    }
}

bool uart_port_is_started(void)
{
    return is_started;
}

void uart_port_send(char byte)
{
    while (is_sending && UART0_EVENTS_TXDRDY == 0) {
    }
    UART0_EVENTS_TXDRDY = 0;
    is_sending = true;
    UART0_TXD = (uint8_t)byte;
}

/* The receiver keeps six bytes. */
void uart_port_poll(void)
{
}

void uart0_handler(void)
{
    while (UART0_EVENTS_RXDRDY != 0) {
        UART0_EVENTS_RXDRDY = 0;
        uart_received((char)UART0_RXD);
    }
    if (UART0_EVENTS_TXDRDY != 0) {
        UART0_EVENTS_TXDRDY = 0;
        is_sending = false;
        transmit();
    }
    (void)UART0_EVENTS_TXDRDY; /* cleared before the handler ends: PS, "Peripheral interface" */
}
