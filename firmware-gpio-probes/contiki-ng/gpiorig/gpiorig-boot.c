/** Before anything that has probes runs, and while nothing does. */
#include "gpiorig-contiki.h"

#ifndef GPIORIG_OFF

#include "sys/platform.h"

#ifdef GPIORIG_IRQS
#include "vectors.h"
#endif

#ifndef GPIORIG_CALIBRATIONS
#define GPIORIG_CALIBRATIONS 32
#endif

uint16_t gpiorig_unhooked;

#if GPIORIG_LOG
/** Time stamps of the log. */
uint32_t gpiorig_now(void)
{
    return rtimer_wide_now();
}
#endif

void GPIORIG_REAL(platform_init_stage_one)(void);
void GPIORIG_WRAP(platform_init_stage_one)(void);
void GPIORIG_REAL(platform_idle)(void);
void GPIORIG_WRAP(platform_idle)(void);

/** The first call of main(); it sets up the processor and its clocks. */
void GPIORIG_WRAP(platform_init_stage_one)(void)
{
    GPIORIG_REAL(platform_init_stage_one)();
    gpiorig_init();
    gpiorig_wiring_proof();
    gpiorig_calibrate(GPIORIG_CALIBRATIONS);
#ifdef GPIORIG_IRQS
    gpiorig_vectors_init();
#endif
}

/** The main loop, when no process has an event; the interrupt that ends the sleep runs inside it. */
void GPIORIG_WRAP(platform_idle)(void)
{
    GPIORIG_ENTER(SCHED_SLEEP);
    GPIORIG_REAL(platform_idle)();
    GPIORIG_EXIT(SCHED_SLEEP);
}

#endif
