/** The probes start where the board has its clocks, before any thread: as part of board_init. */
#include "gpiorig_riot.h"

#include "../../../cortex-m/vectors.h"

#ifndef GPIORIG_CALIBRATIONS
#define GPIORIG_CALIBRATIONS 32u /* as the reference firmware's */
#endif

void __real_board_init(void);
void __wrap_board_init(void);

void __wrap_board_init(void)
{
    __real_board_init();
    gpiorig_init();
    gpiorig_wiring_proof();
    gpiorig_calibrate(GPIORIG_CALIBRATIONS);
    gpiorig_threads_init();
#ifdef GPIORIG_VECTORS
    gpiorig_vectors_init();
#endif
}
