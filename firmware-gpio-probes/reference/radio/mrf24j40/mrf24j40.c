/* The MRF24J40: set-up, and the frames that it receives. */
#include "radio.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "mrf24j40_bus.h"
#include "mrf24j40_registers.h"
#include "mrf24j40_sender.h"
#include "radio_fault.h"
#include "radio_interrupt.h"
#include "radio_limits.h"
#include "radio_port.h"

#define INTERRUPT_US 7u /* frame end to INT: half of 14 us that were measured, docs/evidence/silicon.md */

static const struct radio_callbacks *report;

bool radio_init(const struct radio_callbacks *callbacks)
{
    report = callbacks;
    radio_port_init();
    radio_port_reset();
    if (mrf24j40_read(TXMCR) != TXMCR_RESET) { /* the chip has no register with its name */
        radio_fault();
        return false;
    }
    return true;
}

bool radio_configure(const struct radio_settings *settings)
{
    sender_configure(settings, report->confirmed);
    return true;
}

bool radio_set_channel(uint8_t channel)
{
    if (radio_is_sending()) {
        return false;
    }
    sender_tune(channel);
    return true;
}

/** Reads the frame without its FCS; the last two bytes of it are the packet id. */
static bool read_frame(struct packet *packet, uint32_t end_us)
{
    uint8_t length;

    GPIORIG_ENTER(DRIVER_RX_LENGTH);
    mrf24j40_read_many(RX_FIFO, &length, 1);
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    if (length < RADIO_FCS_LENGTH + 2u || length > RADIO_PSDU_MAX) {
        return false;
    }
    GPIORIG_ENTER(DRIVER_RX_READ);
    packet->length = (uint8_t)(length - RADIO_FCS_LENGTH);
    mrf24j40_read_many(RX_FIFO + 1u, packet_data(packet), (uint8_t)packet->length);
    packet->id = get_be16(packet_data(packet) + packet->length - 2);
    packet->received_us = end_us - RADIO_FRAME_US(length);
    GPIORIG_EXIT_ID(DRIVER_RX_READ, packet->id);
    return true;
}

static void frame_received(uint32_t end_us)
{
    struct packet *packet;
    bool is_read;

    GPIORIG_EVENT(RADIO_RX_COMPLETE);
    packet = packet_alloc();
    sender_hold();
    is_read = packet != NULL && read_frame(packet, end_us);
    sender_release();
    if (is_read) {
        report->received(packet);
        return;
    }
    if (packet != NULL) {
        packet_free(packet);
    }
    GPIORIG_EVENT(DRIVER_RX_DROP);
    radio_fault();
}

void radio_service(void)
{
    uint32_t at_us;
    uint8_t interrupts;

    sender_service();
    if (!radio_take_interrupt(&at_us)) {
        return;
    }
    GPIORIG_ENTER(DRIVER_ISR);
    interrupts = sender_interrupts();
    if ((interrupts & INTERRUPT_TX) != 0) {
        sender_ended();
    }
    if ((interrupts & INTERRUPT_RX) != 0) {
        frame_received(at_us - INTERRUPT_US);
    }
    GPIORIG_EXIT(DRIVER_ISR);
}
