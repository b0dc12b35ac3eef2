#include "spirit1_receiver.h"

#include "radio.h"
#include "radio_fault.h"
#include "radio_port.h"
#include "spirit1_bus.h"
#include "spirit1_registers.h"
#include "timer.h"

#define RECEPTION_US 5000u /* the longest packet, 3.5 ms, and its acknowledgement, 0.6 ms */

bool receiver_wanted;

/* nIRQ, on GPIO3. */
bool receiver_interrupts(void)
{
    return !radio_port_interrupt_level();
}

bool receiver_break_off(void)
{
    uint8_t state = STATUS_STATE(spirit1_status());

    if (state == MC_STATE_LOCK) {
        spirit1_command(COMMAND_READY);
    } else if (state != MC_STATE_READY) {
        spirit1_command(COMMAND_SABORT);
    }
    return spirit1_wait(MC_STATE_READY);
}

static bool receives(uint16_t status)
{
    return STATUS_STATE(status) == MC_STATE_RX && (status & STATUS_RX_FIFO_EMPTY) == 0;
}

bool receiver_off(void)
{
    uint32_t start_us = timer_now();
    uint16_t status = spirit1_status();

    while (!receiver_interrupts() && (STATUS_STATE(status) != MC_STATE_RX || receives(status)) &&
           STATUS_STATE(status) != MC_STATE_READY && timer_now() - start_us <= RECEPTION_US) {
        status = spirit1_status();
    }
    expect(timer_now() - start_us <= RECEPTION_US);
    return receiver_break_off();
}

/* RX_TIMEOUT 0, persistent reception. CSMA would delay the acknowledgements. */
bool receiver_resume(void)
{
    static const uint8_t for_ever[2] = { 0, 0 };

    spirit1_write(PROTOCOL1, PROTOCOL1_FILTER);
    spirit1_write_many(TIMERS5, for_ever, sizeof for_ever);
    spirit1_command(COMMAND_FLUSHRXFIFO);
    if (!receiver_wanted) {
        return receiver_break_off();
    }
    if (STATUS_STATE(spirit1_status()) == MC_STATE_READY) {
        spirit1_command(COMMAND_RX);
    }
    return spirit1_wait(MC_STATE_RX);
}

bool radio_is_receiving(void)
{
    return !receiver_interrupts() && receives(spirit1_status());
}
