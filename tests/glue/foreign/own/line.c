/** What the nodes print is not the serial protocol of gpiorig: each line begins with a mark of this application. */
#define line_send line_send_protocol
#include "../../../../firmware-gpio-probes/reference/kernel/line.c"
#undef line_send

void line_send(struct line *line)
{
    static const char mark[] = "own: ";

    uart_write(mark, sizeof mark - 1);
    line_send_protocol(line);
}
