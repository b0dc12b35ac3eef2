/** The probes start with OpenWSN's own debug pins, when the board has its clocks and its vectors; and the sleep. */
#include "gpiorig_openwsn.h"

#include "board.h"
#include "debugpins.h"
#include "leds.h"
#include "vectors.h"

#ifndef GPIORIG_CALIBRATIONS
#define GPIORIG_CALIBRATIONS 32u /* as the reference firmware's */
#endif

GPIORIG_WRAPS(debugpins_init);
GPIORIG_WRAPS(board_sleep);
GPIORIG_WRAPS(leds_sync_on);
GPIORIG_WRAPS(leds_sync_off);

/** The last but one call of board_init(), which has set all pins to analog inputs before. */
void __wrap_debugpins_init(void)
{
    __real_debugpins_init();
    gpiorig_init();
    gpiorig_wiring_proof();
    gpiorig_calibrate(GPIORIG_CALIBRATIONS);
    gpiorig_vectors_init();
}

/** The scheduler, when no task is left; the interrupt that ends the sleep runs inside it. */
void __wrap_board_sleep(void)
{
    GPIORIG_ENTER(SCHED_SLEEP);
    __real_board_sleep();
    GPIORIG_EXIT(SCHED_SLEEP);
}

/* The LED of the synchronisation is the green one: PB5, a line of the bus. A marker takes its place. */

void __wrap_leds_sync_on(void)
{
    GPIORIG_EVENT_ID(RIG_MARKER, GPIORIG_SYNCHRONISED);
}

void __wrap_leds_sync_off(void)
{
    GPIORIG_EVENT_ID(RIG_MARKER, GPIORIG_NOT_SYNCHRONISED);
}
