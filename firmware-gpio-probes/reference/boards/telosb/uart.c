/* USART1 at 115200 baud, P3.6 and P3.7. */
#include "uart.h"

#include "interrupts.h"
#include "board.h"
#include "work.h"

#define RING 1024u /* a power of two */

static char ring[RING];
static volatile uint32_t head, tail; /* free-running; head is written by the main loop, tail by the handler */
static uint32_t dropped;

static char incoming[UART_LINE_LENGTH];
static uint32_t incoming_length;
static char ready[UART_LINE_LENGTH];
static volatile bool is_ready;

/*
 * 4 MHz / 115200 = 34.72: 34 cycles a bit, and one more for the bits that UMCTL names, the start bit being its bit 0, again
 * from the ninth on (SLAU049F 13.2.5). With 0xDD no edge of a frame is off by more than half a cycle, 1.5 % of a bit.
 */
void uart_init(void)
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
    IE2 |= UTXE1;
    irq_unlock(state);
}

/* Ends: the transmitter takes a byte every 87 us, whatever the other side does. */
void uart_drain(void)
{
    while ((IE2 & UTXE1) != 0) {
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

void usart1_rx_handler(void)
{
    receive((char)U1RXBUF); /* reading clears the flags */
}

/* Taking the interrupt took the flag back (SLAU049F 13.2.7): it is put up again for the byte to come. */
void usart1_tx_handler(void)
{
    if (head == tail) {
        IE2 &= (uint8_t)~UTXE1;
        IFG2 |= UTXE1;
    } else {
        U1TXBUF = (uint8_t)ring[tail % RING];
        tail++;
    }
}
