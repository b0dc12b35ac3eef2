#include "at86rf231_receiver.h"

#include "at86rf231_bus.h"
#include "at86rf231_registers.h"

bool receiver_wanted;

/* TX_ARET and TRX_OFF lead to RX_AACK by way of PLL_ON (Atmel 8111C 7.2.1, figure 7-8). */
bool receiver_resume(void)
{
    if (!receiver_wanted) {
        return at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF);
    }
    return at86rf231_enter(STATE_PLL_ON, STATE_PLL_ON) && at86rf231_enter(STATE_RX_AACK_ON, STATE_RX_AACK_ON);
}
