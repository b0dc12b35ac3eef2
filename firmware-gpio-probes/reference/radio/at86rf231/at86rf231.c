/* The AT86RF231: set-up, and the frames that it receives. */
#include "radio.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "at86rf231_bus.h"
#include "at86rf231_registers.h"
#include "at86rf231_sender.h"
#include "board.h"
#include "radio_fault.h"
#include "radio_interrupt.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "seed.h"

static const struct radio_callbacks *report;

bool radio_init(const struct radio_callbacks *callbacks)
{
    report = callbacks;
    radio_port_init();
    radio_port_reset();
    if (at86rf231_read(PART_NUM) != PART_NUM_AT86RF231 || !at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF)) {
        radio_fault();
        return false;
    }
    at86rf231_write(TRX_CTRL_0, TRX_CTRL_0_CLKM_OFF);
    at86rf231_write(TRX_CTRL_1, TRX_CTRL_1_TX_AUTO_CRC_ON | TRX_CTRL_1_IRQ_2_EXT_EN);
    at86rf231_write(IRQ_MASK, IRQ_TRX_END);
    at86rf231_read(IRQ_STATUS); /* reading clears */
    return true;
}

/* All zeros until here; only a frame with a 64-bit address would match it. The chip's unique number serves. */
static void write_ieee_address(void)
{
    for (uint8_t i = 0; i < 8; i++) {
        at86rf231_write((uint8_t)(IEEE_ADDR_0 + i), (uint8_t)(board_uid(BOARD_UID_WORDS - 2u + i / 4u) >> 8u * (i % 4u)));
    }
}

static void write_channel(uint8_t channel)
{
    at86rf231_write(PHY_CC_CCA, PHY_CC_CCA_MODE_1 | channel);
}

bool radio_configure(const struct radio_settings *settings)
{
    uint32_t seed = mix_seed(settings->seed, settings->address) & 0x7FFu; /* the register has 11 bits */
    bool good = at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF);

    at86rf231_read(IRQ_STATUS);
    radio_forget_interrupt();
    sender_configure(settings, report->confirmed);
    write_channel(settings->channel);
    at86rf231_write(SHORT_ADDR_0, (uint8_t)settings->address);
    at86rf231_write(SHORT_ADDR_1, (uint8_t)(settings->address >> 8));
    at86rf231_write(PAN_ID_0, (uint8_t)settings->pan);
    at86rf231_write(PAN_ID_1, (uint8_t)(settings->pan >> 8));
    write_ieee_address();
    at86rf231_write(CSMA_SEED_0, (uint8_t)seed);
    at86rf231_write(CSMA_SEED_1, (uint8_t)(CSMA_SEED_1_FRAME_VERSION_0_OR_1 | seed >> 8));
    at86rf231_write(CSMA_BE, settings->backoff ? CSMA_BE_MOST_5 | settings->exponent : CSMA_BE_NO_BACKOFF);
    good = sender_resume() && good;
    expect(good);
    return good;
}

/* The PLL settles within 11 us, whatever the state (Atmel 8111C 7.1.4.5, tTR20). */
bool radio_set_channel(uint8_t channel)
{
    if (radio_is_sending()) {
        return false;
    }
    write_channel(channel);
    return true;
}

bool radio_is_receiving(void)
{
    return at86rf231_status() == STATE_BUSY_RX_AACK;
}

/** Reads the frame without its FCS; the last two bytes of it are the packet id. */
static bool read_frame(struct packet *packet, uint32_t end_us)
{
    uint8_t length;

    GPIORIG_ENTER(DRIVER_RX_LENGTH);
    length = at86rf231_frame_length();
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    if (length < RADIO_FCS_LENGTH + 2u || length > RADIO_PSDU_MAX) {
        return false;
    }
    GPIORIG_ENTER(DRIVER_RX_READ);
    packet->length = (uint8_t)(length - RADIO_FCS_LENGTH);
    at86rf231_frame_read(packet_data(packet), length);
    packet->id = get_be16(packet_data(packet) + packet->length - 2);
    packet->received_us = end_us - RADIO_FRAME_US(length);
    GPIORIG_EXIT_ID(DRIVER_RX_READ, packet->id);
    return true;
}

static void drop(struct packet *packet)
{
    if (packet != NULL) {
        packet_free(packet);
    }
    GPIORIG_EVENT(DRIVER_RX_DROP);
    radio_fault();
}

static void frame_received(uint32_t end_us)
{
    struct packet *packet;

    if ((at86rf231_read(PHY_RSSI) & PHY_RSSI_RX_CRC_VALID) == 0) { /* Atmel 8111C 8.2.5 */
        GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
        drop(NULL);
        return;
    }
    GPIORIG_EVENT(RADIO_RX_COMPLETE);
    packet = packet_alloc();
    if (packet != NULL && read_frame(packet, end_us)) {
        report->received(packet);
    } else {
        drop(packet);
    }
}

void radio_service(void)
{
    uint32_t at_us;

    sender_service();
    if (!radio_take_interrupt(&at_us)) {
        return;
    }
    GPIORIG_ENTER(DRIVER_ISR);
    if ((at86rf231_read(IRQ_STATUS) & IRQ_TRX_END) == 0) {
        radio_fault();
    } else if (sender_awaits_end()) {
        sender_ended();
    } else {
        frame_received(at_us - INTERRUPT_US);
    }
    GPIORIG_EXIT(DRIVER_ISR);
}
