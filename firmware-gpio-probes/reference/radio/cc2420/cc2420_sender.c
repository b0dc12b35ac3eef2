/*
 * The CC2420 checks the channel when it is told to send; backoff, the wait for the acknowledgement and retries are left to
 * the processor, as often as an AT86RF231 has them.
 */
#include "cc2420_sender.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "board.h"
#include "cc2420_bus.h"
#include "cc2420_csma.h"
#include "cc2420_port.h"
#include "cc2420_registers.h"
#include "radio_fault.h"
#include "radio_access.h"
#include "radio_interrupt.h"
#include "radio_limits.h"
#include "timer.h"

/* IEEE 802.15.4-2006, table 86 */
#define FRAME_RETRIES 3u
#define ACK_WAIT_US 864u /* macAckWaitDuration: 54 symbols */
#define ACK_FRAME_US 352u /* preamble to FCS */
#define OWN_ACK_US 600u /* 12 symbols of turnaround before it */
#define SENDING_US 6000u /* the longest frame takes 4.3 ms, and 0.2 ms go before it */
#define ACKNOWLEDGEMENT_REQUESTED (1u << 5) /* frame control, first octet: 7.2.1.1.4 */

static struct radio_settings settings;
static void (*confirmed)(uint16_t id, enum radio_result result);

/** The frame in the TXFIFO. */
static struct {
    volatile enum { IDLE, LOADED, BACKOFF, SENDING, ACK_WAIT, ENDED } phase;
    uint16_t id;
    uint8_t sequence;
    bool has_csma, asks; /* for an acknowledgement */
    bool is_spun;        /* backoff and transmission are waited for busily: RADIO_FINISH_BUSY */
    uint8_t tries;
    uint32_t due_us;  /* when the phase ends at the latest */
    bool is_extended; /* the wait for an acknowledgement that seems to be coming */
    enum radio_result result; /* when ENDED */
} out;

/** The end of a phase: radio_service looks at the clock. */
static void phase_is_due(struct alarm *alarm)
{
    (void)alarm;
    radio_ask_for_service();
}

static struct alarm phase_end = { .expired = phase_is_due };

void sender_configure(const struct radio_settings *wanted, void (*callback)(uint16_t, enum radio_result))
{
    alarm_cancel(&phase_end);
    cc2420_port_watch_sfd(false);
    settings = *wanted;
    confirmed = callback;
    out.phase = IDLE;
    csma_configure(wanted);
}

static void enter_phase(unsigned phase, uint32_t duration_us)
{
    out.phase = phase;
    out.due_us = timer_now() + duration_us;
    if (!out.is_spun || phase == ACK_WAIT) {
        alarm_set(&phase_end, out.due_us);
    }
}

static bool phase_is_over(void)
{
    return timer_reached(timer_now(), out.due_us);
}

/** The transmission is over; to be confirmed. The chip listens now, by itself. */
static void end(enum radio_result result)
{
    alarm_cancel(&phase_end);
    cc2420_port_watch_sfd(false);
    if (!receiver_is_wanted()) {
        receiver_off();
    }
    out.phase = ENDED;
    out.result = result;
    if (result == RADIO_SENT) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, out.id);
    } else if (result == RADIO_NO_ACK) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, out.id);
    } else {
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, out.id);
    }
}

static void confirm(void)
{
    if (out.phase == ENDED) {
        out.phase = IDLE;
        GPIORIG_EVENT_ID(DRIVER_CONFIRM, out.id);
        confirmed(out.id, out.result);
    }
}

static void give_up(void)
{
    cc2420_strobe(SRFOFF);
    cc2420_strobe(SFLUSHTX);
    cc2420_strobe(SRXON);
    end(RADIO_BUSY);
}

static void back_off(uint32_t backoff_us)
{
    enter_phase(BACKOFF, backoff_us);
    if (backoff_us == 0 && !out.is_spun) {
        radio_ask_for_service(); /* sooner than an alarm */
    }
}

/** The chip has heeded a strobe. */
static void sending_began(void)
{
    GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
    cc2420_port_watch_sfd(!out.is_spun); /* SFD rises 0.35 ms after the strobe at the earliest */
    enter_phase(SENDING, SENDING_US);
}

/** The backoff is over. */
static void attempt(void)
{
    uint32_t backoff_us;

    if (cc2420_try_to_send(STXONCCA)) {
        sending_began();
    } else if (csma_retry(&backoff_us)) {
        back_off(backoff_us);
    } else {
        end(RADIO_BUSY);
    }
}

/** A frame that is coming in is broken off, and no part of it kept; an acknowledgement that is under way goes before. */
static void send_at_once(void)
{
    uint32_t start_us = timer_now();

    if (cc2420_port_sfd()) {
        receiver_off();
    }
    while (!cc2420_try_to_send(STXON)) {
        if (timer_now() - start_us > OWN_ACK_US) {
            radio_fault();
            give_up();
            return;
        }
    }
    sending_began();
}

static bool frame_is_out(void)
{
    return out.is_spun ? (cc2420_strobe(SNOP) & STATUS_TX_ACTIVE) == 0 : cc2420_port_sfd_fell();
}

/** SFD fell, or never did. */
static void sending_ended(void)
{
    uint8_t status = cc2420_strobe(SNOP);

    cc2420_port_watch_sfd(false);
    if ((status & (STATUS_TX_ACTIVE | STATUS_TX_UNDERFLOW)) != 0) {
        radio_fault();
        give_up();
    } else if (out.asks) {
        out.is_extended = false;
        enter_phase(ACK_WAIT, ACK_WAIT_US);
    } else {
        end(RADIO_SENT);
    }
}

/** The wait is over, unless a frame is coming in just now or waits to be read. */
static void no_acknowledgement(void)
{
    if (!out.is_extended && (cc2420_port_sfd() || cc2420_port_fifo())) {
        out.is_extended = true;
        enter_phase(ACK_WAIT, ACK_FRAME_US);
    } else if (!out.has_csma || ++out.tries > FRAME_RETRIES) {
        end(RADIO_NO_ACK);
    } else {
        back_off(csma_start());
    }
}

static void step(void)
{
    if (out.phase == SENDING && (phase_is_over() || frame_is_out())) {
        sending_ended();
    } else if (out.phase == BACKOFF && phase_is_over()) {
        attempt();
    } else if (out.phase == ACK_WAIT && phase_is_over()) {
        no_acknowledgement();
    }
}

/** Until the frame is out, where that is waited for. Each phase has its end. */
static void spin(void)
{
    while (out.is_spun && (out.phase == BACKOFF || out.phase == SENDING)) {
        step();
    }
}

static void load(struct packet *packet)
{
    out.id = packet->id;
    out.sequence = packet_data(packet)[2];
    out.asks = (packet_data(packet)[0] & ACKNOWLEDGEMENT_REQUESTED) != 0;
    out.tries = 0;
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    cc2420_txfifo_write(packet_data(packet), (uint8_t)packet->length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);
}

bool radio_send(struct packet *packet)
{
    if (out.phase != IDLE) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    if (settings.csma && !receiver_is_wanted()) {
        receiver_on();
    }
    cc2420_strobe(SFLUSHTX);
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    load(packet);
    out.has_csma = settings.csma;
    out.is_spun = settings.finish == RADIO_FINISH_BUSY;

    GPIORIG_ENTER_ID(DRIVER_EXEC, packet->id);
    if (out.has_csma) {
        back_off(csma_start());
    } else {
        send_at_once();
    }
    spin();
    GPIORIG_EXIT_ID(DRIVER_EXEC, packet->id);
    if (out.phase == ENDED) {
        radio_ask_for_service();
    }
    return true;
}

bool radio_load(struct packet *packet)
{
    if (out.phase != IDLE) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    receiver_off();
    cc2420_strobe(SFLUSHTX);
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    load(packet);
    out.has_csma = false;
    out.is_spun = false;
    out.phase = LOADED;
    return true;
}

static void fire(void)
{
    cc2420_strobe(STXON);
    sending_began();
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
    if (out.phase != IDLE && out.phase != ENDED) {
        expect(was_loaded);
        give_up();
    }
    confirm();
}

void sender_acknowledged(uint8_t sequence)
{
    if (out.phase == ACK_WAIT && sequence == out.sequence) {
        end(RADIO_SENT);
        confirm();
    }
}

void sender_service(void)
{
    step();
    spin();
    confirm();
}
