/** What the test programs need of a board: a console that only speaks, and one interrupt for them to pend. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/** EXTI lines 10 to 15, on both processors: RM0008 table 63, RM0351 table 57. */
#define PENDED_IRQ 40u
#define IRQS 43u

void console_init(void);
void print(const char *text);
void print_number(const char *name, uint32_t value);

/** Its handler; the default fails. */
void pended_handler(void);

/** The end: says the line. */
void failed(int line);

#endif
