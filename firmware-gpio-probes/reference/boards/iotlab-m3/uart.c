/* USART1 at 500 kbaud, PA9 and PA10. */
#include "uart.h"

#include "clock.h"
#include "interrupts.h"
#include "board.h"
#include "work.h"

#define BAUD 500000u
#define RING 2048u /* a power of two */

static char ring[RING];
static volatile uint32_t head, tail; /* free-running; head is written by the main loop, tail by the handler */
static uint32_t dropped;

static char incoming[UART_LINE_LENGTH];
static uint32_t incoming_length;
static char ready[UART_LINE_LENGTH];
static volatile bool is_ready;

void uart_init(void)
{
    RCC_APB2ENR |= RCC_APB2ENR_IOPA | RCC_APB2ENR_USART1;
    USART1_BRR = CPU_HZ / BAUD; /* 16 x USARTDIV = 144: RM0008 27.3.4 */
    USART1_CR1 = USART_CR1_UE | USART_CR1_TE | USART_CR1_RE | USART_CR1_RXNEIE;
    gpio_mode(GPIOA, 9, GPIO_ALTERNATE);
    gpio_mode(GPIOA, 10, GPIO_INPUT);
    nvic_enable(IRQ_USART1, 2);
}

void uart_write(const char *bytes, uint32_t length)
{
    irq_state state;

    if (length > RING - (head - tail)) {
        dropped++;
        return;
    }
    for (uint32_t i = 0; i < length; i++) {
        ring[(head + i) % RING] = bytes[i];
    }
    state = irq_lock();
    head += length;
    USART1_CR1 |= USART_CR1_TXEIE;
    irq_unlock(state);
}

/* Ends: the transmitter takes a byte every 20 us, whatever the other side does. */
void uart_drain(void)
{
    while ((USART1_CR1 & USART_CR1_TXEIE) != 0) {
    }
}

uint32_t uart_dropped(void)
{
    return dropped;
}

bool uart_read_line(char line[UART_LINE_LENGTH])
{
    if (!is_ready) {
        return false;
    }
    for (uint32_t i = 0; i < UART_LINE_LENGTH; i++) {
        line[i] = ready[i];
    }
    is_ready = false;
    return true;
}

/** Ends the incoming line. One that comes before the last was taken is lost: the host waits for each answer. */
static void finish_line(void)
{
    bool fits = incoming_length < UART_LINE_LENGTH;

    if (!is_ready && incoming_length > 0) {
        for (uint32_t i = 0; fits && i < incoming_length; i++) {
            ready[i] = incoming[i];
        }
        ready[fits ? incoming_length : 0] = '\0';
        is_ready = true;
        work_post(WORK_LINE);
    }
    incoming_length = 0;
}

static void receive(char byte)
{
    if (byte == '\n' || byte == '\r') {
        finish_line();
        return;
    }
    if (incoming_length < UART_LINE_LENGTH - 1) {
        incoming[incoming_length++] = byte;
    } else {
        incoming_length = UART_LINE_LENGTH; /* too long */
    }
}

void usart1_handler(void)
{
    uint32_t status = USART1_SR;

    if ((status & (USART_SR_RXNE | USART_SR_ORE)) != 0) {
        receive((char)USART1_DR); /* reading SR, then DR clears both: RM0008 27.6.1 */
    }
    if ((status & USART_SR_TXE) != 0 && (USART1_CR1 & USART_CR1_TXEIE) != 0) {
        if (head == tail) {
            USART1_CR1 &= ~USART_CR1_TXEIE;
        } else {
            USART1_DR = (uint8_t)ring[tail % RING];
            tail++;
        }
    }
}
