#include "cc2420_receiver.h"

#include "cc2420_bus.h"
#include "cc2420_registers.h"
#include "radio_fault.h"
#include "radio_interrupt.h"
#include "radio_port.h"
#include "timer.h"

#define XOSC_US 5000u /* it starts within 1 ms (4.6) */
#define QUIET_US 1000u /* an acknowledgement of 352 us ends, or RSSI becomes valid: 20 symbols from SRXON (19, 23) */

bool receiver_wanted;

/** Waits for bits of the status byte; false when they do not come in time. */
static bool wait_for(uint8_t mask, uint8_t value, uint32_t most_us)
{
    uint32_t start_us = timer_now();

    while ((cc2420_strobe(SNOP) & mask) != value) {
        if (timer_now() - start_us > most_us) {
            return false;
        }
    }
    return true;
}

bool receiver_start_oscillator(void)
{
    cc2420_strobe(SXOSCON);
    return wait_for(STATUS_XOSC16M_STABLE, STATUS_XOSC16M_STABLE, XOSC_US);
}

/* 14.3: twice, so that SFD is idle again. */
void receiver_flush(void)
{
    cc2420_strobe(SFLUSHRX);
    cc2420_strobe(SFLUSHRX);
    radio_forget_interrupt();
}

void receiver_off(void)
{
    expect(wait_for(STATUS_TX_ACTIVE, 0, QUIET_US));
    cc2420_strobe(SRFOFF);
    if (!radio_port_interrupt_level()) {
        receiver_flush(); /* what is there of a frame will not be continued */
    }
}

void receiver_on(void)
{
    cc2420_strobe(SRXON);
    expect(wait_for(STATUS_RSSI_VALID, STATUS_RSSI_VALID, QUIET_US));
}

bool receiver_is_wanted(void)
{
    return receiver_wanted;
}
