/** MCLK and SMCLK at 4 MHz from the DCO, ACLK at 4096 Hz from the watch crystal. */
#ifndef CLOCK_H
#define CLOCK_H

#define SMCLK_HZ 4000000u
#define ACLK_HZ 4096u

void clock_init(void);

#endif
