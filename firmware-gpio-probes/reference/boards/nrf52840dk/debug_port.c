#include "debug_port.h"

#include "board.h"

/*
 * From build code Fxx on the port is closed after power-on, and all of the chip must be erased to flash it again, unless UICR
 * and firmware open it (PS, "Debug and trace": access port protection). UICR is written if it is erased; a reset reads it.
 */
void debug_port_open(void)
{
    if (FICR_PART != FICR_PART_NRF52840 || FICR_REVISION < FICR_REVISION_FXX) {
        return;
    }
    if (UICR_APPROTECT == UICR_ERASED) {
        NVMC_CONFIG = NVMC_CONFIG_WEN;
        UICR_APPROTECT = UICR_APPROTECT_HWDISABLED;
        while (NVMC_READY == 0) {
        }
        NVMC_CONFIG = 0;
    }
    if ((UICR_APPROTECT & APPROTECT_PALL) == (UICR_APPROTECT_HWDISABLED & APPROTECT_PALL)) {
        APPROTECT_DISABLE = APPROTECT_DISABLE_SWDISABLE;
    }
}
