/* The radio of the nRF52840 in its IEEE 802.15.4 mode: set-up, and the frames that it receives. */
#include "radio.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "nrf52840_air.h"
#include "nrf52840_sender.h"
#include "radio_fault.h"
#include "radio_interrupt.h"

static const struct radio_callbacks *report;

bool radio_init(const struct radio_callbacks *callbacks)
{
    report = callbacks;
    air_init();
    return true;
}

bool radio_configure(const struct radio_settings *settings)
{
    sender_configure(settings, report->confirmed);
    air_off();
    air_set_channel(settings->channel);
    air_configure(settings->pan, settings->address);
    air_listen();
    return true;
}

bool radio_is_receiving(void)
{
    return air_is_receiving();
}

static void drop(void)
{
    GPIORIG_EVENT(DRIVER_RX_DROP);
    radio_fault();
}

/** The frame is in RAM already; the last two bytes before its FCS are the packet id. */
static void take_frame(struct packet *packet, const struct arrival *arrival)
{
    GPIORIG_ENTER(DRIVER_RX_LENGTH); /* for the sake of the timeline: it costs a load here */
    packet->length = (uint16_t)(arrival->frame.length - RADIO_FCS_LENGTH);
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    GPIORIG_ENTER(DRIVER_RX_READ);
    packet->received_us = arrival->sfd_us;
    for (uint16_t i = 0; i < packet->length; i++) {
        packet_data(packet)[i] = arrival->frame.psdu[i];
    }
    packet->id = get_be16(packet_data(packet) + packet->length - 2);
    air_release();
    GPIORIG_EXIT_ID(DRIVER_RX_READ, packet->id);
    report->received(packet);
}

static void receive(const struct arrival *arrival)
{
    struct packet *packet;

    GPIORIG_ENTER(DRIVER_ISR);
    GPIORIG_EVENT(RADIO_RX_COMPLETE);
    packet = packet_alloc();
    if (packet != NULL) {
        take_frame(packet, arrival);
    } else {
        air_release();
        drop();
    }
    GPIORIG_EXIT(DRIVER_ISR);
}

void radio_service(void)
{
    const struct arrival *arrival;

    for (uint8_t left = air_take_crc_errors(); left > 0; left--) {
        GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
        radio_fault();
    }
    for (uint8_t left = air_take_overruns(); left > 0; left--) {
        drop();
    }
    arrival = air_received();
    if (arrival != NULL) {
        receive(arrival);
    }
    if (air_received() != NULL) {
        radio_ask_for_service();
    }
    sender_service();
}
