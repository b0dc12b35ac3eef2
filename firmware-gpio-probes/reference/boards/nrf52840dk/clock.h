/** The core at 64 MHz, the timers at 16 MHz, both of the crystal. */
#ifndef CLOCK_H
#define CLOCK_H

#define CPU_HZ 64000000u

void clock_init(void);

#endif
