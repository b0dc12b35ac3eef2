/** The host's commands; README.md lists them. Every line is answered by one line, "ok ..." or "error ...". */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

/** Says whether the radio answered; without it nothing can be started. */
void console_set_radio(bool works);

/** Carries the received line out, if there is one. */
void console_work(void);

#endif
