/**
 * Stand-in for os/dev/serial-line.c: the line goes to all processes that were started by autostart. A line `!`
 * makes the last frame that was sent come back once more, as if it were another node's.
 */
#include "dev/serial-line.h"

#include "arch.h"

#define LENGTH 80

process_event_t serial_line_event_message = 0x8a;

static char line[LENGTH];
static unsigned at;

void serial_line_init(void)
{
}

int serial_line_input_byte(unsigned char octet)
{
    if (octet != '\n') {
        line[at] = (char)octet;
        at = at < LENGTH - 1 ? at + 1 : at;
        return 0;
    }
    line[at] = '\0';
    at = 0;
    if (line[0] == '!') {
        radio_again();
        return 1;
    }
    for (unsigned number = 0; autostart_processes[number] != NULL; number++) {
        process_post(autostart_processes[number], serial_line_event_message, line);
    }
    return 1;
}
