#ifndef CONSOLE_H
#define CONSOLE_H

/** Reads commands for ever. */
void console_run(void);

#endif
