/** What a check notes down: letters in the order of what happened, and numbers. */
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>

/** Begins the line of a check. */
void trace_begin(const char *name);

/** From any context. */
void trace(char letter);

void trace_number(const char *key, uint32_t number);

/** The check has ended, but for what was posted before. */
void trace_end(void);

/** Sends the line of the check that has ended, if any. */
void trace_say(void);

#endif
