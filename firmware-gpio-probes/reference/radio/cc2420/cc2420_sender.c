/*
 * The CC2420 checks the channel when it is told to send; backoff, the wait for the acknowledgement and retries are left to
 * the processor: exponents 3 to 5, 4 retries of CSMA, 3 of the frame, as an AT86RF231 has them.
 */
#include "cc2420_sender.h"

#include "gpiorig/probe.h"

#include "alarm.h"
#include "cc2420_bus.h"
#include "cc2420_port.h"
#include "cc2420_registers.h"
#include "mac.h"
#include "seed.h"
#include "timer.h"

/* IEEE 802.15.4-2006, 7.5.1.4 and table 86 */
#define LEAST_EXPONENT 3u
#define MOST_EXPONENT 5u
#define CSMA_RETRIES 4u
#define FRAME_RETRIES 3u
#define BACKOFF_US 320u  /* 20 symbols */
#define ACK_WAIT_US 864u /* macAckWaitDuration: 54 symbols */
#define ACK_FRAME_US 352u /* preamble to FCS */
#define SENDING_US 6000u /* the longest frame takes 4.3 ms, and 0.2 ms go before it */

static void (*confirmed)(uint16_t id, enum radio_result result);
static uint32_t errors;
static bool has_backoff;
static uint32_t random_state;

/** The end of a phase: radio_service looks at the clock. */
static void phase_ended(struct alarm *alarm)
{
    (void)alarm;
    actor_signal(&mac_actor, MAC_SIGNAL_RADIO);
}

static struct alarm phase_end = { .expired = phase_ended };

/** The frame in the TXFIFO. */
static struct {
    enum { IDLE, BACKOFF, SENDING, ACK_WAIT } phase;
    uint16_t id;
    uint8_t sequence;
    uint8_t frame_tries, csma_tries, exponent;
    uint32_t due_us;  /* when the phase ends at the latest */
    bool is_extended; /* the wait for an acknowledgement that seems to be coming */
} out;

void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t, enum radio_result))
{
    alarm_cancel(&phase_end);
    cc2420_port_watch_sfd(false);
    confirmed = callback;
    out.phase = IDLE;
    has_backoff = settings->backoff;
    random_state = mix_seed(settings->seed, settings->address) | 1u; /* xorshift never leaves 0 */
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
    alarm_set(&phase_end, out.due_us);
}

static void finish(enum radio_result result)
{
    alarm_cancel(&phase_end);
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
    confirmed(out.id, result);
}

static void back_off(void)
{
    uint16_t periods = (uint16_t)(draw() >> 16) & ((1u << out.exponent) - 1u);

    enter_phase(BACKOFF, periods * (uint32_t)BACKOFF_US);
    if (periods == 0) {
        actor_signal(&mac_actor, MAC_SIGNAL_RADIO); /* sooner than an alarm */
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

void sender_acknowledged(uint8_t sequence)
{
    if (out.phase == ACK_WAIT && sequence == out.sequence) {
        finish(RADIO_SENT);
    }
}

void sender_service(void)
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

uint32_t sender_errors(void)
{
    return errors;
}
