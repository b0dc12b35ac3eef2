/** Core at 72 MHz, APB1 at 36 MHz, APB2 at 72 MHz. */
#ifndef CLOCK_H
#define CLOCK_H

#define CPU_HZ 72000000u

void clock_init(void);

#endif
