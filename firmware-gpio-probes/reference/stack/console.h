/** The host's commands; README.md lists them. Every line is answered by one line, "ok ..." or "error ...". */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

#include "kernel.h"

#define CONSOLE_SIGNAL_LINE SIGNAL(0) /* uart_read_line has a line */

extern struct actor console_actor;

/** Says whether the radio answered; without it nothing can be started. */
void console_set_radio(bool works);

#endif
