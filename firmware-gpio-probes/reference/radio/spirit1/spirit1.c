/*
 * The SPIRIT1 receiving, with its link layer protocol: it acknowledges on its own what is for it. The addresses of a packet
 * are the low bytes of the frame's short addresses; the frame itself is what the MAC filters by.
 */
#include "radio.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "radio_fault.h"
#include "radio_interrupt.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "spirit1_bus.h"
#include "spirit1_registers.h"
#include "spirit1_sender.h"
#include "spirit1_setup.h"
#include "timer.h"

static const struct radio_callbacks *report;

bool radio_init(const struct radio_callbacks *callbacks)
{
    report = callbacks;
    radio_port_init();
    radio_port_reset();
    if (spirit1_read(DEVICE_INFO1) != DEVICE_INFO1_SPIRIT1 || !spirit1_wait(MC_STATE_READY)) {
        radio_fault();
        return false;
    }
    setup_write();
    return true;
}

bool radio_configure(const struct radio_settings *settings)
{
    bool good = sender_ready();

    sender_configure(settings, report->confirmed);
    spirit1_write(TX_SOURCE_ADDR, (uint8_t)settings->address);
    setup_profile(settings->is_yetimote);
    setup_forget_calibration();
    good = setup_tune(settings->channel) && good;
    spirit1_interrupts();
    radio_forget_interrupt();
    good = sender_resume() && good;
    expect(good);
    return good;
}

bool radio_set_channel(uint8_t channel)
{
    bool good;

    if (radio_is_sending()) {
        return false;
    }
    good = sender_ready();
    good = setup_tune(channel) && good;
    good = sender_resume() && good;
    expect(good);
    return good;
}

/** Reads the frame; the last two bytes of it are the packet id. */
static bool read_frame(struct packet *packet, uint32_t end_us)
{
    uint8_t registers[2];
    uint8_t length;

    GPIORIG_ENTER(DRIVER_RX_LENGTH);
    spirit1_read_many(RX_PCKT_LEN1, registers, sizeof registers);
    length = spirit1_read(FIFO_STATUS0);
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    if (registers[0] != 0 || registers[1] != length + ADDRESSES_LENGTH || length < 2u ||
        length > RADIO_PSDU_MAX - RADIO_FCS_LENGTH) {
        return false;
    }
    GPIORIG_ENTER(DRIVER_RX_READ);
    packet->length = length;
    packet->received_us = end_us - RADIO_FRAME_US(length + RADIO_FCS_LENGTH);
    spirit1_read_many(LINEAR_FIFO, packet_data(packet), length);
    packet->id = get_be16(packet_data(packet) + length - 2);
    GPIORIG_EXIT_ID(DRIVER_RX_READ, packet->id);
    return true;
}

static void drop_frame(void)
{
    spirit1_command(COMMAND_FLUSHRXFIFO);
    GPIORIG_EVENT(DRIVER_RX_DROP);
    radio_fault();
}

static void frame_received(uint32_t end_us)
{
    struct packet *packet = packet_alloc();

    GPIORIG_EVENT(RADIO_RX_COMPLETE);
    if (packet != NULL && read_frame(packet, end_us)) {
        report->received(packet);
        return;
    }
    if (packet != NULL) {
        packet_free(packet);
    }
    drop_frame();
}

void radio_service(void)
{
    uint32_t at_us, interrupts;

    sender_service();
    if (!radio_take_interrupt(&at_us)) {
        return;
    }
    GPIORIG_ENTER(DRIVER_ISR);
    interrupts = spirit1_interrupts() & INTERRUPTS;
    if (sender_takes(interrupts)) {
        /* and confirmed */
    } else if ((interrupts & IRQ_RX_FIFO_ERROR) != 0) {
        drop_frame();
        expect(sender_resume());
    } else if ((interrupts & IRQ_RX_DATA_READY) != 0) {
        frame_received(at_us);
    } else {
        radio_fault();
    }
    GPIORIG_EXIT(DRIVER_ISR);
    if (!radio_port_interrupt_level()) {
        radio_interrupt(timer_now()); /* one more came while the status was read: nIRQ stays low, there is no other edge */
    }
}
