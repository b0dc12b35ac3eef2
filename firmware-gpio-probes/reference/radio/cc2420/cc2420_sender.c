/*
 * The CC2420 checks the channel when a strobe starts it; backoff, the wait for the acknowledgement and retries are left to
 * the processor, as often as an AT86RF231 has them.
 */
#include "cc2420_sender.h"

#include "alarm.h"
#include "cc2420_bus.h"
#include "cc2420_csma.h"
#include "cc2420_port.h"
#include "cc2420_registers.h"
#include "radio_access.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "timer.h"

/* clang would call it, which costs an MSP430 26 cycles before driver.prepare. */
static inline __attribute__((always_inline)) bool put_in(struct packet *packet, bool is_held);

#include "sender.h"

/* IEEE 802.15.4-2006, table 86 */
#define FRAME_RETRIES 3u
#define ACK_WAIT_US 864u /* macAckWaitDuration: 54 symbols */
#define ACK_FRAME_US 352u /* preamble to FCS */
#define QUIET_US 1000u /* an acknowledgement of 352 us ends, or RSSI becomes valid: 20 symbols from SRXON (19, 23) */
#define OWN_ACK_US 600u /* 12 symbols of turnaround before it */
#define SENDING_US 6000u /* the longest frame takes 4.3 ms, and 0.2 ms go before it */

/** What the processor does for the frame in the TXFIFO. */
static struct {
    uint8_t sequence;
    bool has_csma, asks; /* for an acknowledgement */
    bool is_spun;        /* backoff and transmission are waited for busily: RADIO_FINISH_BUSY */
    uint8_t tries;
    uint32_t due_us;  /* when the phase ends at the latest */
    bool is_extended; /* the wait for an acknowledgement that seems to arrive */
} work;

/* 14.3: twice, so that SFD is idle again. */
void sender_flush_receiver(void)
{
    cc2420_strobe(SFLUSHRX);
    cc2420_strobe(SFLUSHRX);
    radio_forget_interrupt();
}

/** Off, once an acknowledgement that is being sent is out. A frame that arrives is lost. */
static void receiver_off(void)
{
    expect(cc2420_wait_for(STATUS_TX_ACTIVE, 0, QUIET_US));
    cc2420_strobe(SRFOFF);
    if (!radio_port_interrupt_level()) {
        sender_flush_receiver(); /* what is there of a frame will not be continued */
    }
}

/** Waits until the channel can be assessed, with a receiver that was off until now. */
static void receiver_on(void)
{
    cc2420_strobe(SRXON);
    expect(cc2420_wait_for(STATUS_RSSI_VALID, STATUS_RSSI_VALID, QUIET_US));
}

static inline bool listen(bool on)
{
    if (on) {
        cc2420_strobe(SRXON);
    } else {
        receiver_off();
    }
    return true;
}

void sender_write_channel(uint8_t channel)
{
    cc2420_write(FSCTRL, FSCTRL_LOCK_THR | FSCTRL_FREQ(channel));
}

/* The synthesizer takes a new frequency over when it is calibrated, at the next SRXON or STXON (26). */
bool radio_set_channel(uint8_t channel)
{
    if (out.phase != IDLE) {
        return false;
    }
    if (listening) {
        receiver_off();
    }
    sender_write_channel(channel);
    if (listening) {
        cc2420_strobe(SRXON);
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
    cc2420_port_watch_sfd(false);
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

/** The transmission is over; to be confirmed. The chip listens now, on its own. */
static void end(enum radio_result result)
{
    alarm_cancel(&phase_end);
    cc2420_port_watch_sfd(false);
    if (!listening) {
        receiver_off();
    }
    out.phase = ENDED;
    out.result = result;
    (void)send_result(result);
}

static void break_off(void)
{
    cc2420_strobe(SRFOFF);
    cc2420_strobe(SFLUSHTX);
    cc2420_strobe(SRXON);
    end(RADIO_BUSY);
}

static void back_off(uint32_t backoff_us)
{
    enter_phase(BACKOFF, backoff_us);
    if (backoff_us == 0 && !work.is_spun) {
        radio_ask_for_service(); /* sooner than an alarm */
    }
}

/** The chip has heeded a strobe. */
static void sending_began(void)
{
    GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
    note_departure();
    cc2420_port_watch_sfd(!work.is_spun); /* SFD rises 0.35 ms after the strobe at the earliest */
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

/** A frame that arrives is interrupted and dropped; an acknowledgement that is being sent comes first. */
static void send_at_once(void)
{
    uint32_t start_us = timer_now();

    if (cc2420_port_sfd()) {
        receiver_off();
    }
    while (!cc2420_try_to_send(STXON)) {
        if (timer_now() - start_us > OWN_ACK_US) {
            radio_fault();
            break_off();
            return;
        }
    }
    sending_began();
}

static bool frame_is_out(void)
{
    return work.is_spun ? (cc2420_strobe(SNOP) & STATUS_TX_ACTIVE) == 0 : cc2420_port_sfd_fell();
}

/** SFD fell, or never did. */
static void sending_ended(void)
{
    uint8_t status = cc2420_strobe(SNOP);

    cc2420_port_watch_sfd(false);
    if ((status & (STATUS_TX_ACTIVE | STATUS_TX_UNDERFLOW)) != 0) {
        radio_fault();
        break_off();
    } else if (work.asks) {
        work.is_extended = false;
        enter_phase(ACK_WAIT, ACK_WAIT_US);
    } else {
        end(RADIO_SENT);
    }
}

/** The wait is over, unless a frame is arriving or waits to be read. */
static void no_acknowledgement(void)
{
    if (!work.is_extended && (cc2420_port_sfd() || cc2420_port_fifo())) {
        work.is_extended = true;
        enter_phase(ACK_WAIT, ACK_FRAME_US);
    } else if (!work.has_csma || ++work.tries > FRAME_RETRIES) {
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
    while (work.is_spun && (out.phase == BACKOFF || out.phase == SENDING)) {
        step();
    }
}

static inline bool prepare(struct packet *packet, bool is_held)
{
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    if (is_held) {
        receiver_off();
    } else if (has_csma && !listening) {
        receiver_on();
    }
    cc2420_strobe(SFLUSHTX);
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    return true;
}

static void load(struct packet *packet, bool is_held)
{
    work.sequence = packet_data(packet)[2];
    work.asks = (packet_data(packet)[0] & ACKNOWLEDGEMENT_REQUESTED) != 0;
    work.tries = 0;
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    cc2420_txfifo_write(packet_data(packet), (uint8_t)packet->length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);
    work.has_csma = has_csma && !is_held;
    work.is_spun = !is_held && finish == RADIO_FINISH_BUSY;
}

static void start(void)
{
    if (work.has_csma) {
        back_off(csma_start());
    } else {
        send_at_once();
    }
    spin();
}

static void fire_when_free(void)
{
    cc2420_strobe(STXON);
    sending_began();
}

static void fire(void)
{
    radio_when_free(fire_when_free);
}

/** end() has done it. */
static bool resume(void)
{
    return true;
}

void sender_acknowledged(uint8_t sequence)
{
    if (out.phase == ACK_WAIT && sequence == work.sequence) {
        end(RADIO_SENT);
        confirm_if_ended();
    }
}

void sender_service(void)
{
    step();
    spin();
    confirm_if_ended();
}
