/** Stand-in for os/sys/rtimer.c. */
#include "sys/rtimer.h"

void rtimer_run_next(void)
{
}
