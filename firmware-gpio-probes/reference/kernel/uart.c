#include "uart.h"

#include "board.h"
#include "board_limits.h"
#include "uart_port.h"

static char ring[UART_RING]; /* a power of two */
/* Free-running. Bytes are copied to after `head`, up to `reserved`; when no writer is at it, all of them may be sent. */
static volatile uint16_t head, tail;
static uint16_t reserved, writers;
static uint32_t dropped;

static struct actor *listener;
static uint16_t line_signal;
static char incoming[UART_LINE_LENGTH];
static uint8_t incoming_length;
static char ready[UART_LINE_LENGTH];
static volatile bool is_ready;

void uart_init(struct actor *actor, uint16_t signal)
{
    listener = actor;
    line_signal = signal;
    uart_port_init();
}

bool uart_has_room(uint16_t length)
{
    return length <= UART_RING - (uint16_t)(reserved - tail);
}

/** Makes room; where it begins, or false. */
static bool reserve(uint16_t length, uint16_t *begin)
{
    irq_state state = irq_lock();
    bool fits = uart_has_room(length);

    if (fits) {
        *begin = reserved;
        reserved += length;
        writers++;
    } else {
        dropped++;
    }
    irq_unlock(state);
    return fits;
}

/** An actor may have pre-empted another one at its copying: the last one to finish lets both go. */
static void release(void)
{
    irq_state state = irq_lock();

    if (--writers == 0) {
        head = reserved;
        uart_port_start();
    }
    irq_unlock(state);
}

void uart_write(const char *bytes, uint16_t length)
{
    uint16_t begin;

    if (reserve(length, &begin)) {
        for (uint16_t i = 0; i < length; i++) {
            ring[(uint16_t)(begin + i) % UART_RING] = bytes[i];
        }
        release();
    }
}

/* Ends: the transmitter takes a byte after the other, whatever the other side does. */
void uart_drain(void)
{
    while (uart_port_is_started()) {
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
    for (uint8_t i = 0; i < UART_LINE_LENGTH; i++) {
        line[i] = ready[i];
    }
    is_ready = false;
    return true;
}

bool uart_next(char *byte)
{
    if (head == tail) {
        return false;
    }
    *byte = ring[tail % UART_RING];
    tail++;
    return true;
}

/** Ends the incoming line. One that comes before the last was taken is lost: the host waits for each answer. */
static void finish_line(void)
{
    bool fits = incoming_length < UART_LINE_LENGTH;

    if (!is_ready && incoming_length > 0) {
        for (uint8_t i = 0; fits && i < incoming_length; i++) {
            ready[i] = incoming[i];
        }
        ready[fits ? incoming_length : 0] = '\0';
        is_ready = true;
        actor_signal(listener, line_signal);
    }
    incoming_length = 0;
}

void uart_received(char byte)
{
    if (byte == '\n' || byte == '\r') {
        finish_line();
    } else if (incoming_length < UART_LINE_LENGTH - 1) {
        incoming[incoming_length++] = byte;
    } else {
        incoming_length = UART_LINE_LENGTH; /* too long */
    }
}

static void put(const char *text)
{
    while (*text != '\0') {
        uart_port_send(*text++);
    }
}

void fault(const char *what, const char *who)
{
    char byte;

    irq_lock();
    while (uart_next(&byte)) {
        uart_port_send(byte);
    }
    put("\nfault ");
    put(what);
    put(" ");
    put(who);
    put("\n");
    for (;;) {
    }
}
