/** Builds one line of text for the host. Too long a line is cut, never overrun. */
#ifndef LINE_H
#define LINE_H

#include <stdint.h>

struct line {
    char text[256];
    uint32_t length;
};

void line_text(struct line *line, const char *text);
void line_number(struct line *line, uint32_t number);

/** `digits` hexadecimal digits, most significant first. */
void line_hex(struct line *line, uint32_t number, unsigned digits);

/** " key=number" */
void line_pair(struct line *line, const char *key, uint32_t number);

/** Ends the line and queues it on the serial line. */
void line_send(struct line *line);

#endif
