#include "probes.h"

#include "gpiorig/probe.h"

#include "timer.h"

void probes_init(void)
{
    gpiorig_init();
    gpiorig_enable_group(GPIORIG_GROUP_SCHED, false);
    gpiorig_enable_group(GPIORIG_GROUP_TASK, false);
    gpiorig_enable_group(GPIORIG_GROUP_QUEUE, false);
    gpiorig_enable_group(GPIORIG_GROUP_TIMER, false);
    gpiorig_enable_group(GPIORIG_GROUP_SLOT, false);
}

#if GPIORIG_LOG
uint32_t gpiorig_now(void)
{
    return timer_now();
}
#endif
