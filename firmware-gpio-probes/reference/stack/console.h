/** The host's side: one command a line, one answer each. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

#include "kernel.h"

/* Signals of console_actor. */
#define CONSOLE_SIGNAL_LINE SIGNAL(0)       /* uart_read_line has a line */
#define CONSOLE_SIGNAL_CONFIGURED SIGNAL(1) /* the MAC has taken the settings over, or tried to */

extern struct actor console_actor;

/** Whether the radio answered at boot. */
void console_set_radio(bool works);

#endif
