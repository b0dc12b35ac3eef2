/* USART2 at 500 kbaud, PA2 and PA3, which the ST-LINK passes on (UM1724 6.8). */
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
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIO(PORT_A);
    RCC_APB1ENR1 |= RCC_APB1ENR1_USART2;
    USART2_BRR = CPU_HZ / BAUD; /* 160: RM0351 40.5.4 */
    USART2_CR1 = USART_CR1_UE | USART_CR1_TE | USART_CR1_RE | USART_CR1_RXNEIE;
    gpio_alternate(PORT_A, 2, 7);
    gpio_alternate(PORT_A, 3, 7);
    nvic_enable(IRQ_USART2, 2);
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
    USART2_CR1 |= USART_CR1_TXEIE;
    irq_unlock(state);
}

/* Ends: the transmitter takes a byte every 20 us, whatever the other side does. */
void uart_drain(void)
{
    while ((USART2_CR1 & USART_CR1_TXEIE) != 0) {
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

void usart2_handler(void)
{
    uint32_t status = USART2_ISR;

    if ((status & USART_ISR_ORE) != 0) {
        USART2_ICR = USART_ICR_ORECF;
    }
    if ((status & USART_ISR_RXNE) != 0) {
        receive((char)USART2_RDR);
    }
    if ((status & USART_ISR_TXE) != 0 && (USART2_CR1 & USART_CR1_TXEIE) != 0) {
        if (head == tail) {
            USART2_CR1 &= ~USART_CR1_TXEIE;
        } else {
            USART2_TDR = (uint8_t)ring[tail % RING];
            tail++;
        }
    }
}
