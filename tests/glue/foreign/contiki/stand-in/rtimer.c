/** Stand-in for os/sys/rtimer.c. */
#include "sys/rtimer.h"

void tsch_slot(void);

void rtimer_run_next(void)
{
#if MAC_CONF_WITH_TSCH
    tsch_slot();
#endif
}
