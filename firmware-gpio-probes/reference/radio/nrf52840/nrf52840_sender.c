/*
 * The radio assesses the channel and sends by itself (nrf52840_air.c); backoff, the wait for the acknowledgement and retries
 * are left to the processor, as often as an AT86RF231 has them.
 */
#include "nrf52840_sender.h"

#include "alarm.h"
#include "../cc2420/cc2420_csma.h"
#include "nrf52840_air.h"
#include "timer.h"

#include "sender.h"

/* IEEE 802.15.4-2006, table 86 */
#define FRAME_RETRIES 3u
#define ACK_WAIT_US 864u /* macAckWaitDuration: 54 symbols */
#define OWN_ACK_US 600u /* an acknowledgement that is being sent comes first: 192 and 352 us */
#define SENDING_US 6000u /* the longest frame takes 4.3 ms; ramp-ups and the assessment go before it */

/** What the processor does for the frame that is to be sent. */
static struct {
    uint8_t sequence;
    bool has_csma, asks; /* for an acknowledgement */
    bool is_spun;        /* backoff and transmission are waited for busily: RADIO_FINISH_BUSY */
    uint8_t tries;
    uint32_t due_us; /* when the phase ends at the latest */
} work;

static inline bool listen(bool on)
{
    if (on) {
        air_listen();
    } else {
        air_off();
    }
    return true;
}

bool radio_set_channel(uint8_t channel)
{
    if (out.phase != IDLE) {
        return false;
    }
    air_off();
    air_set_channel(channel);
    if (listening) {
        air_listen();
    }
    return true;
}

/** The end of a phase: radio_service looks at the clock. */
static void phase_is_due(struct alarm *alarm)
{
    (void)alarm;
    radio_ask_for_service();
}

static struct alarm phase_end = { .expired = phase_is_due };

void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t, enum radio_result))
{
    alarm_cancel(&phase_end);
    reset_sender(settings, callback);
    csma_configure(settings);
}

static void enter_phase(unsigned phase, uint32_t duration_us)
{
    out.phase = phase;
    work.due_us = timer_now() + duration_us;
    if (!work.is_spun || phase == ACK_WAIT) {
        alarm_set(&phase_end, work.due_us);
    }
}

static bool phase_is_over(void)
{
    return timer_reached(timer_now(), work.due_us);
}

/** The transmission is over; to be confirmed. */
static void end(enum radio_result result)
{
    alarm_cancel(&phase_end);
    if (listening) {
        air_listen();
    } else {
        air_off();
    }
    out.phase = ENDED;
    out.result = result;
    (void)send_result(result);
}

static void break_off(void)
{
    air_off();
    end(RADIO_BUSY);
}

static void back_off(uint32_t backoff_us)
{
    enter_phase(BACKOFF, backoff_us);
    if (backoff_us == 0 && !work.is_spun) {
        radio_ask_for_service(); /* sooner than an alarm */
    }
}

void air_departs(void)
{
    GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
    note_departure();
}

static void sent(enum air_outcome outcome);

/** An acknowledgement that is being sent comes first; without CSMA a frame that arrives is interrupted and dropped. */
static void send_now(void)
{
    uint32_t start_us = timer_now();

    if (work.has_csma && air_is_receiving()) {
        sent(AIR_BUSY);
        return;
    }
    while (air_is_acknowledging()) {
        if (work.is_spun) {
            air_poll();
        }
        if (timer_now() - start_us > OWN_ACK_US) {
            radio_fault();
            break;
        }
    }
    enter_phase(SENDING, SENDING_US);
    air_send(work.has_csma, listening || work.asks);
}

static void sent(enum air_outcome outcome)
{
    uint32_t backoff_us;

    if (outcome == AIR_SENT && work.asks) {
        enter_phase(ACK_WAIT, ACK_WAIT_US);
    } else if (outcome == AIR_SENT) {
        end(RADIO_SENT);
    } else if (csma_retry(&backoff_us)) {
        back_off(backoff_us);
    } else {
        end(RADIO_BUSY);
    }
}

static void no_acknowledgement(void)
{
    if (!work.has_csma || ++work.tries > FRAME_RETRIES) {
        end(RADIO_NO_ACK);
    } else {
        back_off(csma_start());
    }
}

static void step_sending(void)
{
    enum air_outcome outcome = air_take_outcome();

    if (outcome != AIR_NONE) {
        sent(outcome);
    } else if (phase_is_over()) {
        radio_fault();
        break_off();
    }
}

static void step(void)
{
    int sequence = air_take_acknowledgement();

    if (out.phase == ACK_WAIT && sequence == work.sequence) {
        end(RADIO_SENT);
    } else if (out.phase == SENDING) {
        step_sending();
    } else if (out.phase == BACKOFF && phase_is_over()) {
        send_now();
    } else if (out.phase == ACK_WAIT && phase_is_over()) {
        no_acknowledgement();
    }
}

/** Until the frame is out, where that is waited for. Each phase has its end. */
static void spin(void)
{
    if (!work.is_spun || (out.phase != BACKOFF && out.phase != SENDING)) {
        return;
    }
    air_interrupts(false);
    while (out.phase == BACKOFF || out.phase == SENDING) {
        air_poll();
        step();
    }
    air_interrupts(true);
}

static inline bool prepare(struct packet *packet, bool is_held)
{
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    if (is_held) {
        air_off();
    }
    (void)air_take_acknowledgement();
    (void)air_take_outcome();
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    return true;
}

static void load(struct packet *packet, bool is_held)
{
    struct air_frame *frame = air_outgoing();

    work.sequence = packet_data(packet)[2];
    work.asks = (packet_data(packet)[0] & ACKNOWLEDGEMENT_REQUESTED) != 0;
    work.tries = 0;
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    for (uint16_t i = 0; i < packet->length; i++) {
        frame->psdu[i] = packet_data(packet)[i];
    }
    frame->length = (uint8_t)(packet->length + RADIO_FCS_LENGTH);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);
    work.has_csma = has_csma && !is_held;
    work.is_spun = !is_held && finish == RADIO_FINISH_BUSY;
}

static void start(void)
{
    if (work.has_csma) {
        back_off(csma_start());
    } else {
        send_now();
    }
    spin();
}

/* The radio is off: radio_load. */
static void fire(void)
{
    enter_phase(SENDING, SENDING_US);
    air_send(false, listening || work.asks);
}

/** end() has done it. */
static bool resume(void)
{
    return true;
}

void sender_service(void)
{
    step();
    spin();
    confirm_if_ended();
}
