/*
 * The CC2420 in buffered mode: it recognises addresses, acknowledges, and checks the channel when it is told to send.
 * Backoff, waiting for the acknowledgement and retries are this driver's: exponents 3 to 5, 4 retries of CSMA, 3 of the
 * frame, as an AT86RF231 has them.
 */
#include "radio.h"

#include "gpiorig/probe.h"

#include "board.h"
#include "cc2420_bus.h"
#include "cc2420_port.h"
#include "cc2420_registers.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "seed.h"
#include "timer.h"
#include "work.h"

/* IEEE 802.15.4-2006, 7.5.1.4 and table 86 */
#define LEAST_EXPONENT 3u
#define MOST_EXPONENT 5u
#define CSMA_RETRIES 4u
#define FRAME_RETRIES 3u
#define BACKOFF_US 320u  /* 20 symbols */
#define ACK_WAIT_US 864u /* macAckWaitDuration: 54 symbols */
#define ACK_FRAME_US 352u /* preamble to FCS */
#define ACK_LENGTH 5u
#define ACK_TYPE 2u

#define XOSC_US 5000u    /* it starts within 1 ms (4.6) */
#define SENDING_US 6000u /* the longest frame takes 4.3 ms, and 0.2 ms go before it */

static const struct radio_callbacks *report;
static uint32_t errors;
static struct packet incoming;
static bool has_backoff;
static uint32_t random_state;

/** The frame in the TXFIFO. */
static struct {
    enum { IDLE, BACKOFF, SENDING, ACK_WAIT } phase;
    uint16_t id;
    uint8_t sequence;
    uint8_t frame_tries, csma_tries, exponent;
    uint32_t due_us;  /* when the phase ends at the latest */
    bool is_extended; /* the wait for an acknowledgement that seems to be coming */
} out;

static bool start_oscillator(void)
{
    uint32_t start = timer_now();

    cc2420_strobe(SXOSCON);
    while ((cc2420_strobe(SNOP) & STATUS_XOSC16M_STABLE) == 0) {
        if (timer_now() - start > XOSC_US) {
            return false;
        }
    }
    return true;
}

bool radio_init(const struct radio_callbacks *callbacks)
{
    report = callbacks;
    radio_port_init();
    radio_port_reset();
    if (cc2420_read(MANFIDL) != MANFIDL_CC2420 || !start_oscillator()) {
        errors++;
        return false;
    }
    cc2420_write(MDMCTRL0, MDMCTRL0_ADDRESSED_AND_ACKNOWLEDGED);
    cc2420_write(MDMCTRL1, MDMCTRL1_CORR_THR_20);
    cc2420_write(RXCTRL1, RXCTRL1_RXBPF_LOCUR);
    cc2420_write(SECCTRL0, SECCTRL0_NO_FIFO_PROTECTION);
    cc2420_write(IOCFG0, IOCFG0_FIFOP_AT_END);
    return true;
}

/* 14.3: twice, so that SFD is idle again. */
static void flush_receiver(void)
{
    cc2420_strobe(SFLUSHRX);
    cc2420_strobe(SFLUSHRX);
}

bool radio_configure(const struct radio_settings *settings)
{
    uint8_t address[8];

    timer_cancel_alarm(ALARM_RADIO);
    cc2420_port_watch_sfd(false);
    out.phase = IDLE;
    has_backoff = settings->backoff;
    random_state = mix_seed(settings->seed, settings->address) | 1u; /* xorshift never leaves 0 */

    cc2420_strobe(SRFOFF);
    cc2420_strobe(SFLUSHTX);
    cc2420_write(FSCTRL, FSCTRL_LOCK_THR | FSCTRL_FREQ(settings->channel));
    put_le16(address, settings->pan);
    cc2420_ram_write(RAM_PANID, address, 2);
    put_le16(address, settings->address);
    cc2420_ram_write(RAM_SHORTADR, address, 2);
    for (uint8_t i = 0; i < 8; i++) {
        address[i] = (uint8_t)(board_uid(i / 4u) >> 8u * (i % 4u));
    }
    cc2420_ram_write(RAM_IEEEADR, address, 8);
    flush_receiver();
    cc2420_strobe(SRXON);
    return true;
}

/** Marsaglia's xorshift (Journal of Statistical Software 8, 14, 2003), shifts 13, 17, 5. */
static uint32_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static void enter_phase(unsigned phase, uint32_t duration_us)
{
    out.phase = phase;
    out.due_us = timer_now() + duration_us;
    timer_set_alarm(ALARM_RADIO, out.due_us);
}

static void finish(enum radio_result result)
{
    timer_cancel_alarm(ALARM_RADIO);
    cc2420_port_watch_sfd(false);
    out.phase = IDLE;
    if (result == RADIO_SENT) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, out.id);
    } else if (result == RADIO_NO_ACK) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, out.id);
    } else {
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, out.id);
    }
    GPIORIG_EVENT_ID(DRIVER_CONFIRM, out.id);
    report->confirmed(out.id, result);
}

static void back_off(void)
{
    uint16_t periods = (uint16_t)(draw() >> 16) & ((1u << out.exponent) - 1u);

    enter_phase(BACKOFF, periods * (uint32_t)BACKOFF_US);
    if (periods == 0) {
        work_post(WORK_RADIO); /* sooner than an alarm */
    }
}

static void start_csma(void)
{
    out.csma_tries = 0;
    out.exponent = has_backoff ? LEAST_EXPONENT : 0;
    back_off();
}

/** The backoff is over. */
static void attempt(void)
{
    cc2420_port_watch_sfd(true);
    if (cc2420_try_to_send()) {
        enter_phase(SENDING, SENDING_US);
        GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
        return;
    }
    cc2420_port_watch_sfd(false);
    if (++out.csma_tries > CSMA_RETRIES) {
        finish(RADIO_BUSY);
        return;
    }
    if (has_backoff && out.exponent < MOST_EXPONENT) {
        out.exponent++;
    }
    back_off();
}

/** SFD fell, or never did. */
static void sending_ended(void)
{
    uint8_t status = cc2420_strobe(SNOP);

    cc2420_port_watch_sfd(false);
    if ((status & (STATUS_TX_ACTIVE | STATUS_TX_UNDERFLOW)) != 0) {
        radio_abort();
        return;
    }
    out.is_extended = false;
    enter_phase(ACK_WAIT, ACK_WAIT_US);
}

/** The wait is over, unless a frame is coming in just now or waits to be read. */
static void no_acknowledgement(void)
{
    if (!out.is_extended && (cc2420_port_sfd() || cc2420_port_fifo())) {
        out.is_extended = true;
        enter_phase(ACK_WAIT, ACK_FRAME_US);
    } else if (++out.frame_tries > FRAME_RETRIES) {
        finish(RADIO_NO_ACK);
    } else {
        start_csma();
    }
}

bool radio_send(struct packet *packet)
{
    if (out.phase != IDLE) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    cc2420_strobe(SFLUSHTX);
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    cc2420_txfifo_write(packet_data(packet), packet->length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);

    GPIORIG_ENTER_ID(DRIVER_EXEC, packet->id);
    out.id = packet->id;
    out.sequence = packet_data(packet)[2];
    out.frame_tries = 0;
    start_csma();
    GPIORIG_EXIT_ID(DRIVER_EXEC, packet->id);
    return true;
}

bool radio_is_sending(void)
{
    return out.phase != IDLE;
}

void radio_abort(void)
{
    if (out.phase != IDLE) {
        errors++;
        cc2420_strobe(SRFOFF);
        cc2420_strobe(SFLUSHTX);
        cc2420_strobe(SRXON);
        finish(RADIO_BUSY);
    }
}

static void drop(void)
{
    flush_receiver();
    GPIORIG_EVENT(DRIVER_RX_DROP);
    errors++;
}

static void take_acknowledgement(void)
{
    uint8_t frame[ACK_LENGTH];

    cc2420_rxfifo_read(frame, ACK_LENGTH);
    if (out.phase == ACK_WAIT && (frame[0] & 7u) == ACK_TYPE && frame[2] == out.sequence &&
        (frame[ACK_LENGTH - 1u] & CRC_OK) != 0) {
        finish(RADIO_SENT);
    }
}

/** Reads a frame whose RSSI and CRC stand in place of its FCS; the last two bytes before are the packet id. */
static void take_frame(uint8_t length)
{
    GPIORIG_ENTER(DRIVER_RX_READ);
    incoming.start = PACKET_HEADROOM;
    incoming.length = (uint8_t)(length - RADIO_FCS_LENGTH);
    cc2420_rxfifo_read(packet_data(&incoming), length);
    incoming.id = get_be16(packet_data(&incoming) + incoming.length - 2);
    if ((packet_data(&incoming)[length - 1u] & CRC_OK) != 0) {
        GPIORIG_EXIT_ID(DRIVER_RX_READ, incoming.id);
        report->received(&incoming);
    } else {
        GPIORIG_EXIT(DRIVER_RX_READ);
        GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
        errors++;
    }
}

static void receive(void)
{
    uint8_t length;

    GPIORIG_ENTER(DRIVER_ISR);
    if (!cc2420_port_fifo()) {
        drop(); /* 14.3: FIFOP without FIFO is an overflow */
    } else {
        GPIORIG_EVENT(RADIO_RX_COMPLETE);
        GPIORIG_ENTER(DRIVER_RX_LENGTH);
        cc2420_rxfifo_read(&length, 1);
        GPIORIG_EXIT(DRIVER_RX_LENGTH);
        if (length == ACK_LENGTH) {
            take_acknowledgement();
        } else if (length > RADIO_PSDU_MAX || length < RADIO_FCS_LENGTH + 2u) {
            drop();
        } else {
            take_frame(length);
        }
    }
    GPIORIG_EXIT(DRIVER_ISR);
}

/* FIFOP rises once for all frames that are complete before the first is read (14.2): FIFO and SFD tell of the others. */
static void look_at_receiver(void)
{
    if (radio_port_interrupt_level() || (cc2420_port_fifo() && !cc2420_port_sfd())) {
        receive();
    }
    if (cc2420_port_fifo() || radio_port_interrupt_level()) {
        work_post(WORK_RADIO);
    }
}

static void look_at_transmitter(void)
{
    bool is_due = out.phase != IDLE && timer_reached(timer_now(), out.due_us);

    if (out.phase == SENDING && (is_due || cc2420_port_sfd_fell())) {
        sending_ended();
    } else if (out.phase == BACKOFF && is_due) {
        attempt();
    } else if (out.phase == ACK_WAIT && is_due) {
        no_acknowledgement();
    }
}

void radio_service(void)
{
    look_at_receiver();
    look_at_transmitter();
}

uint32_t radio_errors(void)
{
    return errors;
}
