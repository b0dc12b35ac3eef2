/* The CC2420 in buffered mode: set-up and receiver. It recognises addresses and acknowledges on its own. */
#include "radio.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "board.h"
#include "cc2420_bus.h"
#include "cc2420_port.h"
#include "cc2420_registers.h"
#include "cc2420_sender.h"
#include "radio_fault.h"
#include "radio_interrupt.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "timer.h"

#define ACK_LENGTH 5u
#define ACK_TYPE 2u /* IEEE 802.15.4-2006, 7.2.1.1.1 */
#define XOSC_US 5000u /* it starts within 1 ms (4.6) */
#define SFD_US 3u /* the SFD line is later than the air; users measure this much between two chips, unverified */

static const struct radio_callbacks *report;

static bool start_oscillator(void)
{
    cc2420_strobe(SXOSCON);
    return cc2420_wait_for(STATUS_XOSC16M_STABLE, STATUS_XOSC16M_STABLE, XOSC_US);
}

bool radio_init(const struct radio_callbacks *callbacks)
{
    report = callbacks;
    radio_port_init();
    radio_port_reset();
    if (cc2420_read(MANFIDL) != MANFIDL_CC2420 || !start_oscillator()) {
        radio_fault();
        return false;
    }
    cc2420_write(MDMCTRL0, MDMCTRL0_ADDRESSED_AND_ACKNOWLEDGED);
    cc2420_write(MDMCTRL1, MDMCTRL1_CORR_THR_20);
    cc2420_write(RXCTRL1, RXCTRL1_RXBPF_LOCUR);
    cc2420_write(SECCTRL0, SECCTRL0_NO_FIFO_PROTECTION);
    cc2420_write(IOCFG0, IOCFG0_FIFOP_AT_END);
    return true;
}

bool radio_configure(const struct radio_settings *settings)
{
    uint8_t address[8];

    sender_configure(settings, report->confirmed);
    cc2420_strobe(SRFOFF);
    cc2420_strobe(SFLUSHTX);
    sender_write_channel(settings->channel);
    put_le16(address, settings->pan);
    cc2420_ram_write(RAM_PANID, address, 2);
    put_le16(address, settings->address);
    cc2420_ram_write(RAM_SHORTADR, address, 2);
    for (uint8_t i = 0; i < 8; i++) {
        address[i] = (uint8_t)(board_uid(i / 4u) >> 8u * (i % 4u));
    }
    cc2420_ram_write(RAM_IEEEADR, address, 8);
    sender_flush_receiver();
    cc2420_strobe(SRXON);
    return true;
}

bool radio_is_receiving(void)
{
    return cc2420_port_sfd() && (cc2420_strobe(SNOP) & STATUS_TX_ACTIVE) == 0;
}

static void drop(void)
{
    sender_flush_receiver();
    GPIORIG_EVENT(DRIVER_RX_DROP);
    radio_fault();
}

static void take_acknowledgement(void)
{
    uint8_t frame[ACK_LENGTH];

    cc2420_rxfifo_read(frame, ACK_LENGTH);
    if ((frame[0] & 7u) == ACK_TYPE && (frame[ACK_LENGTH - 1u] & CRC_OK) != 0) {
        sender_acknowledged(frame[2]);
    }
}

/** Reads a frame whose RSSI and CRC are in the place of its FCS; the last two bytes before are the packet id. */
static void take_frame(struct packet *packet, uint8_t length, uint32_t sfd_us)
{
    GPIORIG_ENTER(DRIVER_RX_READ);
    packet->length = (uint8_t)(length - RADIO_FCS_LENGTH);
    packet->received_us = sfd_us - SFD_US;
    cc2420_rxfifo_read(packet_data(packet), length);
    packet->id = get_be16(packet_data(packet) + packet->length - 2);
    if ((packet_data(packet)[length - 1u] & CRC_OK) != 0) {
        GPIORIG_EXIT_ID(DRIVER_RX_READ, packet->id);
        report->received(packet);
    } else {
        GPIORIG_EXIT(DRIVER_RX_READ);
        GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
        radio_fault();
        packet_free(packet);
    }
}

static void take_length(void)
{
    struct packet *packet;
    uint32_t sfd_us;
    bool has_time = radio_take_interrupt(&sfd_us);
    uint8_t length;

    GPIORIG_ENTER(DRIVER_RX_LENGTH);
    cc2420_rxfifo_read(&length, 1);
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    if (length == ACK_LENGTH) {
        take_acknowledgement();
        return;
    }
    if (length > RADIO_PSDU_MAX || length < RADIO_FCS_LENGTH + 2u) {
        drop();
        return;
    }
    packet = packet_alloc();
    if (packet == NULL) {
        drop();
        return;
    }
    if (!has_time) { /* it ended before the last one was read: without an interrupt, its time is estimated */
        sfd_us = timer_now() - RADIO_FRAME_US(length);
    }
    take_frame(packet, length, sfd_us);
}

static void receive(void)
{
    GPIORIG_ENTER(DRIVER_ISR);
    if (!cc2420_port_fifo()) {
        drop(); /* 14.3: FIFOP without FIFO is an overflow */
    } else {
        GPIORIG_EVENT(RADIO_RX_COMPLETE);
        take_length();
    }
    GPIORIG_EXIT(DRIVER_ISR);
}

/* FIFOP rises once for all frames that are complete before the first is read (14.2): FIFO and SFD tell of the others. */
static bool frame_waits(void)
{
    return radio_port_interrupt_level() || (cc2420_port_fifo() && !cc2420_port_sfd());
}

void radio_service(void)
{
    if (frame_waits()) {
        receive();
    }
    if (frame_waits()) {
        radio_ask_for_service();
    }
    sender_service();
}
