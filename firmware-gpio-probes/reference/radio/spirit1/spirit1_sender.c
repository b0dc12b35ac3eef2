/*
 * The SPIRIT1 sends STack packets that carry the MAC frame as their payload: acknowledged by the receiver's chip and repeated
 * by the sender's, each try after the chip's CSMA engine, or without all that.
 */
#include "spirit1_sender.h"

#include "gpiorig/probe.h"

#include "board.h"
#include "radio_fault.h"
#include "radio_access.h"
#include "radio_interrupt.h"
#include "radio_limits.h"
#include "seed.h"
#include "spirit1_bus.h"
#include "spirit1_registers.h"
#include "spirit1_setup.h"
#include "timer.h"

#define ENDS (IRQ_TX_DATA_SENT | IRQ_MAX_RE_TX_REACH | IRQ_MAX_BO_CCA_REACH | IRQ_TX_FIFO_ERROR)
#define ACKNOWLEDGEMENT_REQUESTED (1u << 5) /* frame control, first octet: IEEE 802.15.4-2006 7.2.1.1.4 */
/*
 * An acknowledgement must begin within 25 * 1210 / 25 MHz = 1.21 ms; its sync word ends 0.4 ms after the packet at 250 kb/s.
 */
#define ACK_PRESCALER 0u
#define ACK_COUNTER 25u

static void (*confirmed)(uint16_t id, enum radio_result result);
static bool has_csma;
static uint8_t csma; /* PROTOCOL1 for a packet with CSMA */
static enum radio_finish finish;

/** The frame in the chip. */
static struct {
    volatile enum { IDLE, LOADED, SENDING, ENDED } phase;
    uint16_t id;
    enum radio_result result; /* when ENDED */
} out;

void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t, enum radio_result))
{
    uint16_t seed = (uint16_t)(mix_seed(settings->seed, settings->address) | 1u); /* it must not be 0 */
    const uint8_t backoff[4] = { (uint8_t)(seed >> 8), (uint8_t)seed, CSMA_CONFIG1_317US_64BITS,
                                 CSMA_CONFIG0_1_CCA_4_BACKOFFS };

    confirmed = callback;
    has_csma = settings->csma;
    csma = PROTOCOL1_FILTER | PROTOCOL1_CSMA | (settings->backoff ? 0u : PROTOCOL1_CSMA_PERSISTENT);
    finish = settings->finish;
    out.phase = IDLE;
    spirit1_write_many(CSMA_CONFIG3, backoff, sizeof backoff);
}

/** A frame that ended while the transmitter was being prepared is lost: its FIFO is about to be flushed. */
static void drop_late_frame(void)
{
    uint32_t at_us;

    if (receiver_interrupts()) {
        spirit1_interrupts();
        radio_take_interrupt(&at_us);
        radio_fault();
        GPIORIG_EVENT(DRIVER_RX_DROP);
    }
}

static bool prepare(void)
{
    bool good = receiver_off();

    drop_late_frame();
    return good;
}

static void write_packet(struct packet *packet, bool with_csma)
{
    static const uint8_t ack_timeout[2] = { ACK_PRESCALER, ACK_COUNTER };
    const uint8_t length[2] = { 0, (uint8_t)(packet->length + ADDRESSES_LENGTH) };
    bool asks = (packet_data(packet)[0] & ACKNOWLEDGEMENT_REQUESTED) != 0;

    spirit1_command(COMMAND_FLUSHRXFIFO);
    spirit1_command(COMMAND_FLUSHTXFIFO);
    spirit1_write_many(PCKTLEN1, length, sizeof length);
    spirit1_write(RX_SOURCE_ADDR, (uint8_t)packet->link_destination);
    spirit1_write_many(TIMERS5, ack_timeout, sizeof ack_timeout);
    spirit1_write(PROTOCOL1, with_csma ? csma : PROTOCOL1_FILTER);
    spirit1_write(PROTOCOL0, (uint8_t)(PROTOCOL0_RECEIVER | (asks ? 0u : PROTOCOL0_NO_ACK) |
                                       (asks && with_csma ? PROTOCOL0_3_RETRIES : 0u)));
    spirit1_write_many(LINEAR_FIFO, packet_data(packet), (uint8_t)packet->length);
}

/** Brings the chip to where it can send, and the frame into it. */
static bool load(struct packet *packet, bool with_csma)
{
    bool ready;

    if (out.phase != IDLE || packet->length > RADIO_PSDU_MAX - RADIO_FCS_LENGTH) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    ready = prepare();
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    if (!ready) {
        radio_fault();
        expect(receiver_resume());
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    write_packet(packet, with_csma);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);
    out.id = packet->id;
    return true;
}

static enum radio_result result(uint32_t interrupts)
{
    if ((interrupts & IRQ_TX_DATA_SENT) != 0) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, out.id);
        return RADIO_SENT;
    }
    if ((interrupts & IRQ_MAX_RE_TX_REACH) != 0) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, out.id);
        return RADIO_NO_ACK;
    }
    expect((interrupts & IRQ_MAX_BO_CCA_REACH) != 0);
    GPIORIG_EVENT_ID(RADIO_TX_BUSY, out.id);
    return RADIO_BUSY;
}

static void confirm(void)
{
    out.phase = IDLE;
    GPIORIG_EVENT_ID(DRIVER_CONFIRM, out.id);
    confirmed(out.id, out.result);
}

static void start(void)
{
    spirit1_command(COMMAND_TX);
    if (!has_csma) {
        GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
    }
}

/** Polls IRQ_STATUS until the packet is out, and acknowledged if it asks for it; nIRQ stays high meanwhile. */
static void start_and_wait(void)
{
    uint32_t start_us, interrupts = 0;

    setup_enable_interrupts(false);
    start();
    start_us = timer_now();
    while ((interrupts & ENDS) == 0 && timer_now() - start_us <= RADIO_GUARD_US) {
        interrupts = spirit1_interrupts();
    }
    if ((interrupts & ENDS) == 0) {
        expect(receiver_break_off());
    }
    out.result = result(interrupts);
    setup_enable_interrupts(true);
    out.phase = ENDED;
}

bool radio_send(struct packet *packet)
{
    if (!load(packet, has_csma)) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_EXEC, packet->id);
    out.phase = SENDING;
    if (finish == RADIO_FINISH_BUSY) {
        start_and_wait();
    } else {
        start();
    }
    GPIORIG_EXIT_ID(DRIVER_EXEC, packet->id);
    if (finish == RADIO_FINISH_BUSY) {
        expect(receiver_resume());
        radio_ask_for_service();
    }
    return true;
}

bool radio_load(struct packet *packet)
{
    if (!load(packet, false)) {
        return false;
    }
    spirit1_command(COMMAND_LOCKTX); /* so that only the way from LOCK to TX is left */
    expect(spirit1_wait(MC_STATE_LOCK));
    out.phase = LOADED;
    return true;
}

static void fire(void)
{
    spirit1_command(COMMAND_TX);
    GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
}

bool radio_fire(void)
{
    if (out.phase != LOADED) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_EXEC, out.id);
    out.phase = SENDING;
    radio_when_free(fire);
    GPIORIG_EXIT_ID(DRIVER_EXEC, out.id);
    return true;
}

bool radio_is_sending(void)
{
    return out.phase != IDLE;
}

void radio_abort(void)
{
    irq_state state = irq_lock();
    bool was_loaded = out.phase == LOADED;

    if (was_loaded) {
        out.phase = SENDING; /* it cannot be fired any more */
    }
    irq_unlock(state);
    if (out.phase == SENDING) {
        uint32_t at_us;

        expect(was_loaded);
        expect(receiver_break_off());
        spirit1_interrupts();
        radio_take_interrupt(&at_us);
        expect(receiver_resume());
        out.result = RADIO_BUSY;
        out.phase = ENDED;
    }
    sender_service();
}

bool sender_takes(uint32_t interrupts)
{
    if (out.phase != SENDING || (interrupts & ENDS) == 0) {
        return false;
    }
    out.result = result(interrupts);
    expect(receiver_resume());
    confirm();
    return true;
}

void sender_service(void)
{
    if (out.phase == ENDED) {
        confirm();
    }
}
