/** The configuration beside this folder, with the probes of freertos/gpiorig_freertos.h, and counts of its own to compare. */
#ifndef PROBED_CONFIG_H
#define PROBED_CONFIG_H

#include "../FreeRTOSConfig.h"

#define configUSE_TRACE_FACILITY 1
#undef configUSE_TIMERS /* its task delays itself, too */
#define configUSE_TIMERS 0

void counted_switch(const void *from);
#define traceTASK_SWITCHED_OUT() counted_switch(pxCurrentTCB)

#include "gpiorig_freertos.h"

#endif
