/** Core and both peripheral buses at 80 MHz. */
#ifndef CLOCK_H
#define CLOCK_H

#define CPU_HZ 80000000u

void clock_init(void);

#endif
