#include "clock.h"

#include "board.h"
#include "debug_port.h"

/* The radio needs HFXO (PS, "RADIO"); it takes 0.4 ms to start. The cache is off after reset (PS, "NVMC"). */
void clock_init(void)
{
    debug_port_open();
    CLOCK_EVENTS_HFCLKSTARTED = 0;
    CLOCK_TASKS_HFCLKSTART = 1;
    while (CLOCK_EVENTS_HFCLKSTARTED == 0) {
    }
    NVMC_ICACHECNF = NVMC_ICACHECNF_CACHEEN;
}
