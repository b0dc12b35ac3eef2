/* USART1 at 500 kbaud, PA9 and PA10. */
#include "uart_port.h"

#include "board.h"
#include "clock.h"
#include "interrupts.h"

#define BAUD 500000u

void uart_port_init(void)
{
    RCC_APB2ENR |= RCC_APB2ENR_IOPA | RCC_APB2ENR_USART1;
    USART1_BRR = CPU_HZ / BAUD; /* 16 x USARTDIV = 144: RM0008 27.3.4 */
    USART1_CR1 = USART_CR1_UE | USART_CR1_TE | USART_CR1_RE | USART_CR1_RXNEIE;
    gpio_mode(GPIOA, 9, GPIO_ALTERNATE);
    gpio_mode(GPIOA, 10, GPIO_INPUT);
    nvic_enable(IRQ_USART1, 2);
}

void uart_port_start(void)
{
    USART1_CR1 |= USART_CR1_TXEIE;
}

bool uart_port_is_started(void)
{
    return (USART1_CR1 & USART_CR1_TXEIE) != 0;
}

void uart_port_send(char byte)
{
    while ((USART1_SR & USART_SR_TXE) == 0) {
    }
    USART1_DR = (uint8_t)byte;
}

/* No interrupt takes the 20 us of a byte. */
void uart_port_poll(void)
{
}

static void transmit(void)
{
    char byte;

    if (uart_next(&byte)) {
        USART1_DR = (uint8_t)byte;
    } else {
        USART1_CR1 &= ~USART_CR1_TXEIE;
    }
}

void usart1_handler(void)
{
    uint32_t status = USART1_SR;

    if ((status & (USART_SR_RXNE | USART_SR_ORE)) != 0) {
        uart_received((char)USART1_DR); /* reading SR, then DR clears both: RM0008 27.6.1 */
    }
    if ((status & USART_SR_TXE) != 0 && uart_port_is_started()) {
        transmit();
    }
}
