/** The events of kernels and alarms, sched.*, queue.*, task.*, timer.*: left out unless the build says -DKERNEL_EVENTS. */
#ifndef KERNEL_EVENTS_H
#define KERNEL_EVENTS_H

#include "gpiorig/probe.h"

#ifdef KERNEL_EVENTS
#define KERNEL_EVENT(event) event
#else
#define KERNEL_EVENT(event) ((void)0)
#endif

#endif
