/* USART2 at 500 kbaud, PA2 and PA3, which the ST-LINK passes on (UM1724 6.8). */
#include "uart_port.h"

#include "board.h"
#include "clock.h"
#include "interrupts.h"

#define BAUD 500000u

void uart_port_init(void)
{
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIO(PORT_A);
    RCC_APB1ENR1 |= RCC_APB1ENR1_USART2;
    USART2_BRR = CPU_HZ / BAUD; /* 160: RM0351 40.5.4 */
    USART2_CR1 = USART_CR1_UE | USART_CR1_TE | USART_CR1_RE | USART_CR1_RXNEIE;
    gpio_alternate(PORT_A, 2, 7);
    gpio_alternate(PORT_A, 3, 7);
    nvic_enable(IRQ_USART2, 2);
}

void uart_port_start(void)
{
    USART2_CR1 |= USART_CR1_TXEIE;
}

bool uart_port_is_started(void)
{
    return (USART2_CR1 & USART_CR1_TXEIE) != 0;
}

void uart_port_send(char byte)
{
    while ((USART2_ISR & USART_ISR_TXE) == 0) {
    }
    USART2_TDR = (uint8_t)byte;
}

/* No interrupt takes the 20 us of a byte. */
void uart_port_poll(void)
{
}

static void transmit(void)
{
    char byte;

    if (uart_next(&byte)) {
        USART2_TDR = (uint8_t)byte;
    } else {
        USART2_CR1 &= ~USART_CR1_TXEIE;
    }
}

void usart2_handler(void)
{
    uint32_t status = USART2_ISR;

    if ((status & USART_ISR_ORE) != 0) {
        USART2_ICR = USART_ICR_ORECF;
    }
    if ((status & USART_ISR_RXNE) != 0) {
        uart_received((char)USART2_RDR);
    }
    if ((status & USART_ISR_TXE) != 0 && uart_port_is_started()) {
        transmit();
    }
}
