/*
 * The SPIRIT1 sends STack packets that carry the MAC frame as their payload: acknowledged by the receiver's chip and repeated
 * by the sender's, each try after the chip's CSMA engine, or without all that.
 */
#include "spirit1_sender.h"

#include "radio_access.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "seed.h"
#include "sender.h"
#include "spirit1_bus.h"
#include "spirit1_registers.h"
#include "spirit1_setup.h"
#include "timer.h"

#define ENDS (IRQ_TX_DATA_SENT | IRQ_MAX_RE_TX_REACH | IRQ_MAX_BO_CCA_REACH | IRQ_TX_FIFO_ERROR)
/*
 * An acknowledgement must begin within 25 * 1210 / 25 MHz = 1.21 ms; its sync word ends 0.4 ms after the packet at 250 kb/s.
 */
#define ACK_PRESCALER 0u
#define ACK_COUNTER 25u
#define RECEPTION_US 9000u /* the longest packet, with FEC 6.6 ms, and its acknowledgement, 0.6 ms */

static uint8_t csma; /* PROTOCOL1 for a packet with CSMA */

void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t, enum radio_result))
{
    uint16_t seed = (uint16_t)(mix_seed(settings->seed, settings->address) | 1u); /* it must not be 0 */
    const uint8_t backoff[4] = { (uint8_t)(seed >> 8), (uint8_t)seed, CSMA_CONFIG1_317US_64BITS,
                                 CSMA_CONFIG0_1_CCA_4_BACKOFFS };

    reset_sender(settings, callback);
    csma = PROTOCOL1_FILTER | PROTOCOL1_CSMA | (settings->backoff ? 0u : PROTOCOL1_CSMA_PERSISTENT);
    spirit1_write_many(CSMA_CONFIG3, backoff, sizeof backoff);
}

/* nIRQ, on GPIO3. */
static bool has_interrupt(void)
{
    return !radio_port_interrupt_level();
}

bool sender_ready(void)
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

/** Waits for the end of a packet that arrives, and of the acknowledgement that the chip sends; then leaves RX for READY. */
static bool receiver_off(void)
{
    uint32_t start_us = timer_now();
    uint16_t status = spirit1_status();

    while (!has_interrupt() && (STATUS_STATE(status) != MC_STATE_RX || receives(status)) &&
           STATUS_STATE(status) != MC_STATE_READY && timer_now() - start_us <= RECEPTION_US) {
        status = spirit1_status();
    }
    expect(timer_now() - start_us <= RECEPTION_US);
    return sender_ready();
}

/* RX_TIMEOUT 0, persistent reception. CSMA would delay the acknowledgements. */
static bool resume(void)
{
    static const uint8_t for_ever[2] = { 0, 0 };

    spirit1_write(PROTOCOL1, PROTOCOL1_FILTER);
    spirit1_write_many(TIMERS5, for_ever, sizeof for_ever);
    spirit1_command(COMMAND_FLUSHRXFIFO);
    if (!listening) {
        return sender_ready();
    }
    if (STATUS_STATE(spirit1_status()) == MC_STATE_READY) {
        spirit1_command(COMMAND_RX);
    }
    return spirit1_wait(MC_STATE_RX);
}

bool sender_resume(void)
{
    return resume();
}

static inline bool listen(bool on)
{
    return on ? resume() : sender_ready();
}

bool radio_is_receiving(void)
{
    return !has_interrupt() && receives(spirit1_status());
}

/** A frame that ended while the transmitter was being prepared is lost: its FIFO is about to be flushed. */
static void drop_late_frame(void)
{
    if (has_interrupt()) {
        spirit1_interrupts();
        radio_forget_interrupt();
        radio_fault();
        GPIORIG_EVENT(DRIVER_RX_DROP);
    }
}

static inline bool prepare(struct packet *packet, bool is_held)
{
    bool ready;

    (void)is_held;
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    ready = receiver_off();
    drop_late_frame();
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    return ready;
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

static void load(struct packet *packet, bool is_held)
{
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    write_packet(packet, has_csma && !is_held);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);
    if (is_held) {
        spirit1_command(COMMAND_LOCKTX); /* so that only the transition from LOCK to TX is left */
        expect(spirit1_wait(MC_STATE_LOCK));
    }
}

static enum radio_result result(uint32_t interrupts)
{
    enum radio_result result = RADIO_BUSY;

    if ((interrupts & IRQ_TX_DATA_SENT) != 0) {
        result = RADIO_SENT;
    } else if ((interrupts & IRQ_MAX_RE_TX_REACH) != 0) {
        result = RADIO_NO_ACK;
    } else {
        expect((interrupts & IRQ_MAX_BO_CCA_REACH) != 0);
    }
    return send_result(result);
}

static void start_transmission(void)
{
    spirit1_command(COMMAND_TX);
    if (!has_csma) {
        GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
        note_departure();
    }
}

/** Polls IRQ_STATUS until the packet is out, and acknowledged if it asks for it; nIRQ stays high meanwhile. */
static void start_and_wait(void)
{
    uint32_t start_us, interrupts = 0;

    setup_enable_interrupts(false);
    start_transmission();
    start_us = timer_now();
    while ((interrupts & ENDS) == 0 && timer_now() - start_us <= RADIO_GUARD_US) {
        interrupts = spirit1_interrupts();
    }
    if ((interrupts & ENDS) == 0) {
        expect(sender_ready());
    }
    out.result = result(interrupts);
    setup_enable_interrupts(true);
    out.phase = ENDED;
}

static void start(void)
{
    out.phase = SENDING;
    if (finish == RADIO_FINISH_BUSY) {
        start_and_wait();
    } else {
        start_transmission();
    }
}

static void fire_when_free(void)
{
    spirit1_command(COMMAND_TX);
    GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
    note_departure();
}

static void fire(void)
{
    radio_when_free(fire_when_free);
}

static void break_off(void)
{
    expect(sender_ready());
    spirit1_interrupts();
    radio_forget_interrupt();
    expect(resume());
}

bool sender_takes(uint32_t interrupts)
{
    if (out.phase != SENDING || (interrupts & ENDS) == 0) {
        return false;
    }
    out.result = result(interrupts);
    expect(resume());
    confirm();
    return true;
}

void sender_service(void)
{
    confirm_if_ended();
}
