/** What the glue uses of Contiki-NG 5.0's os/sys/rtimer.h. Declarations only, written for these tests. */
#ifndef SYS_RTIMER_H
#define SYS_RTIMER_H

#include <stdint.h>

typedef uint16_t rtimer_clock_t; /* sky: arch/cpu/msp430/rtimer-arch.h; 32 bits elsewhere */
#define RTIMER_SECOND 32768u
#define RTIMER_NOW() rtimer_arch_now()

rtimer_clock_t rtimer_arch_now(void);
void rtimer_run_next(void);

#endif
