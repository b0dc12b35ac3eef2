#include "line.h"

#include "uart.h"

static void add(struct line *line, char c)
{
    if (line->length < sizeof line->text - 1) {
        line->text[line->length++] = c;
    }
}

void line_text(struct line *line, const char *text)
{
    while (*text != '\0') {
        add(line, *text++);
    }
}

void line_number(struct line *line, uint32_t number)
{
    char digits[10];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    while (count > 0) {
        add(line, digits[--count]);
    }
}

void line_hex(struct line *line, uint32_t number, unsigned digits)
{
    while (digits-- > 0) {
        add(line, "0123456789abcdef"[(number >> 4 * digits) & 0xfu]);
    }
}

void line_pair(struct line *line, const char *key, uint32_t number)
{
    add(line, ' ');
    line_text(line, key);
    add(line, '=');
    line_number(line, number);
}

void line_send(struct line *line)
{
    line->text[line->length++] = '\n'; /* add() left room */
    uart_write(line->text, (uint16_t)line->length);
    line->length = 0;
}
