/* USART1 at 115200 baud, P3.6 and P3.7. */
#include "uart_port.h"

#include "board.h"
#include "interrupts.h"

/*
 * 4 MHz / 115200 = 34.72: 34 cycles a bit, and one more for the bits that UMCTL names, the start bit being its bit 0, again
 * from the ninth on (SLAU049F 13.2.5). With 0xDD no edge of a frame is off by more than half a cycle, 1.5 % of a bit.
 */
void uart_port_init(void)
{
    P3SEL |= 0xC0u;
    U1CTL = UCTL_SWRST;
    U1CTL = UCTL_CHAR | UCTL_SWRST;
    U1TCTL = UTCTL_SSEL_SMCLK;
    U1BR0 = 34;
    U1BR1 = 0;
    U1MCTL = 0xDD;
    ME2 |= UTXE1 | URXE1;
    U1CTL &= (uint8_t)~UCTL_SWRST;
    IE2 |= URXE1;
}

void uart_port_start(void)
{
    IE2 |= UTXE1;
}

bool uart_port_is_started(void)
{
    return (IE2 & UTXE1) != 0;
}

void uart_port_send(char byte)
{
    while ((IFG2 & UTXE1) == 0) {
    }
    U1TXBUF = (uint8_t)byte;
}

/* A byte lasts 87 us, 347 cycles. */
void uart_port_poll(void)
{
    if ((IFG2 & URXE1) != 0) {
        usart1_rx_handler();
    }
}

void usart1_rx_handler(void)
{
    uart_received((char)U1RXBUF); /* reading clears the flags */
}

/* Taking the interrupt took the flag back (SLAU049F 13.2.7): it is put up again for the byte to come. */
void usart1_tx_handler(void)
{
    char byte;

    if (uart_next(&byte)) {
        U1TXBUF = (uint8_t)byte;
    } else {
        IE2 &= (uint8_t)~UTXE1;
        IFG2 |= UTXE1;
    }
}
