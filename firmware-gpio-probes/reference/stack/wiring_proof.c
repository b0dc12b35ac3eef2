#include "wiring_proof.h"

#include "gpiorig/probe.h"

#include "board.h"
#include "uart.h"

#define CALIBRATION_EVENTS 32u

void wiring_proof(void)
{
    gpiorig_wiring_proof();
    gpiorig_calibrate(CALIBRATION_EVENTS);
}

void wiring_proof_again(void)
{
    uart_drain();
    irq_state state = irq_lock();
    gpiorig_rest();
    wiring_proof();
    irq_unlock(state);
}
