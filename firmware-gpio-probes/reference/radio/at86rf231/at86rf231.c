/*
 * The AT86RF231 in its extended operating mode: it listens in RX_AACK_ON and sends in TX_ARET_ON, so that
 * acknowledgements, CSMA-CA and retries are the chip's.
 */
#include "radio.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "at86rf231_bus.h"
#include "at86rf231_registers.h"
#include "mac.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "seed.h"
#include "board.h"

static const struct radio_callbacks *report;
static bool sending;
static uint16_t sending_id;
static uint32_t errors;

static void expect(bool good)
{
    if (!good) {
        errors++;
    }
}

bool radio_init(const struct radio_callbacks *callbacks)
{
    report = callbacks;
    sending = false;
    radio_port_init();
    radio_port_reset();
    if (at86rf231_read(PART_NUM) != PART_NUM_AT86RF231 || !at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF)) {
        errors++;
        return false;
    }
    at86rf231_write(TRX_CTRL_0, TRX_CTRL_0_CLKM_OFF);
    at86rf231_write(TRX_CTRL_1, TRX_CTRL_1_TX_AUTO_CRC_ON | TRX_CTRL_1_IRQ_2_EXT_EN);
    at86rf231_write(XAH_CTRL_0, XAH_CTRL_0_RETRIES);
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

/** Listens again: TX_ARET and TRX_OFF lead to RX_AACK by way of PLL_ON (Atmel 8111C 7.2.1, figure 7-8). */
static bool listen(void)
{
    return at86rf231_enter(STATE_PLL_ON, STATE_PLL_ON) && at86rf231_enter(STATE_RX_AACK_ON, STATE_RX_AACK_ON);
}

bool radio_configure(const struct radio_settings *settings)
{
    uint32_t seed = mix_seed(settings->seed, settings->address) & 0x7FFu; /* the register has 11 bits */
    bool good = at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF);

    sending = false;
    at86rf231_write(PHY_CC_CCA, PHY_CC_CCA_MODE_1 | settings->channel);
    at86rf231_write(SHORT_ADDR_0, (uint8_t)settings->address);
    at86rf231_write(SHORT_ADDR_1, (uint8_t)(settings->address >> 8));
    at86rf231_write(PAN_ID_0, (uint8_t)settings->pan);
    at86rf231_write(PAN_ID_1, (uint8_t)(settings->pan >> 8));
    write_ieee_address();
    at86rf231_write(CSMA_SEED_0, (uint8_t)seed);
    at86rf231_write(CSMA_SEED_1, (uint8_t)(CSMA_SEED_1_FRAME_VERSION_0_OR_1 | seed >> 8));
    at86rf231_write(CSMA_BE, settings->backoff ? CSMA_BE_3_TO_5 : CSMA_BE_NO_BACKOFF);
    good = listen() && good;
    expect(good);
    return good;
}

/** A frame that ended while the transmitter was being prepared is lost: its buffer is about to be overwritten. */
static void drop_late_frame(void)
{
    if (radio_port_interrupt_level()) {
        at86rf231_read(IRQ_STATUS);
        actor_unsignal(&mac_actor, MAC_SIGNAL_RADIO);
        errors++;
        GPIORIG_EVENT(DRIVER_RX_DROP);
    }
}

static bool prepare(void)
{
    expect(at86rf231_leave_receive());
    drop_late_frame();
    return at86rf231_enter(STATE_TX_ARET_ON, STATE_TX_ARET_ON);
}

bool radio_send(struct packet *packet)
{
    bool ready;

    if (sending) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    ready = prepare();
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    if (!ready) {
        errors++;
        expect(listen());
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    at86rf231_frame_write(packet_data(packet), (uint8_t)packet->length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);

    GPIORIG_ENTER_ID(DRIVER_EXEC, packet->id);
    sending_id = packet->id;
    sending = true;
    at86rf231_write(TRX_STATE, STATE_TX_START); /* the end of this access starts it: Atmel 8111C 7.2.4 */
    GPIORIG_EXIT_ID(DRIVER_EXEC, packet->id);
    return true;
}

bool radio_is_sending(void)
{
    return sending;
}

static void confirm(enum radio_result result)
{
    sending = false;
    expect(listen());
    GPIORIG_EVENT_ID(DRIVER_CONFIRM, sending_id);
    report->confirmed(sending_id, result);
}

void radio_abort(void)
{
    if (sending) {
        errors++;
        expect(at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF));
        at86rf231_read(IRQ_STATUS);
        confirm(RADIO_BUSY);
    }
}

static void transmission_ended(void)
{
    uint8_t trac = at86rf231_read(TRX_STATE) >> TRAC_SHIFT;

    if (trac == TRAC_SUCCESS || trac == TRAC_SUCCESS_DATA_PENDING) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, sending_id);
        confirm(RADIO_SENT);
    } else if (trac == TRAC_NO_ACK) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, sending_id);
        confirm(RADIO_NO_ACK);
    } else {
        expect(trac == TRAC_CHANNEL_ACCESS_FAILURE);
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, sending_id);
        confirm(RADIO_BUSY);
    }
}

/** Reads the frame without its FCS; the last two bytes of it are the packet id. */
static struct packet *read_frame(void)
{
    struct packet *packet;
    uint8_t length;

    GPIORIG_ENTER(DRIVER_RX_LENGTH);
    length = at86rf231_frame_length();
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    if (length < RADIO_FCS_LENGTH + 2u || length > RADIO_PSDU_MAX || (packet = packet_alloc()) == NULL) {
        return NULL;
    }
    GPIORIG_ENTER(DRIVER_RX_READ);
    packet->length = (uint8_t)(length - RADIO_FCS_LENGTH);
    at86rf231_frame_read(packet_data(packet), length);
    packet->id = get_be16(packet_data(packet) + packet->length - 2);
    GPIORIG_EXIT_ID(DRIVER_RX_READ, packet->id);
    return packet;
}

static void frame_received(void)
{
    struct packet *packet = NULL;
    bool good = (at86rf231_read(PHY_RSSI) & PHY_RSSI_RX_CRC_VALID) != 0; /* Atmel 8111C 8.2.5 */

    if (good) {
        GPIORIG_EVENT(RADIO_RX_COMPLETE);
    } else {
        GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
    }
    if (good) {
        packet = read_frame();
    }
    if (packet == NULL) {
        GPIORIG_EVENT(DRIVER_RX_DROP);
        errors++;
        return;
    }
    report->received(packet);
}

void radio_service(void)
{
    GPIORIG_ENTER(DRIVER_ISR);
    if ((at86rf231_read(IRQ_STATUS) & IRQ_TRX_END) == 0) {
        errors++;
    } else if (sending) {
        transmission_ended();
    } else {
        frame_received();
    }
    GPIORIG_EXIT(DRIVER_ISR);
}

uint32_t radio_errors(void)
{
    return errors;
}
