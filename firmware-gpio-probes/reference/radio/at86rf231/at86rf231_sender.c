/*
 * An AT86RF231 sends in TX_ARET_ON, where CSMA-CA, the acknowledgement and retries are the chip's, or in PLL_ON, where it
 * just sends: the basic operating mode.
 */
#include "at86rf231_sender.h"

#include "at86rf231_bus.h"
#include "at86rf231_port.h"
#include "at86rf231_registers.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "sender.h"
#include "timer.h"

static uint8_t send_state; /* from which the frame is sent: STATE_PLL_ON or STATE_TX_ARET_ON */

void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t, enum radio_result))
{
    reset_sender(settings, callback);
}

/* TX_ARET and TRX_OFF lead to RX_AACK by way of PLL_ON (Atmel 8111C 7.2.1, figure 7-8). */
static bool resume(void)
{
    if (!listening) {
        return at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF);
    }
    return at86rf231_enter(STATE_PLL_ON, STATE_PLL_ON) && at86rf231_enter(STATE_RX_AACK_ON, STATE_RX_AACK_ON);
}

bool sender_resume(void)
{
    return resume();
}

static inline bool listen(bool on)
{
    (void)on;
    return resume();
}

/**
 * A frame that ended while the transmitter was being prepared is lost: its buffer is overwritten. Asked after that, since the
 * interrupt comes INTERRUPT_US after the frame: it must not be taken for the end of the transmission.
 */
static void drop_late_frame(void)
{
    if (radio_port_interrupt_level()) {
        at86rf231_read(IRQ_STATUS);
        radio_forget_interrupt();
        radio_fault();
        GPIORIG_EVENT(DRIVER_RX_DROP);
    }
}

static bool enter_send_state(bool with_csma)
{
    expect(at86rf231_leave_receive());
    if (send_state == STATE_PLL_ON) {
        return at86rf231_status() == STATE_PLL_ON;
    }
    at86rf231_write(XAH_CTRL_0, with_csma ? XAH_CTRL_0_RETRIES : XAH_CTRL_0_AT_ONCE);
    return at86rf231_enter(STATE_TX_ARET_ON, STATE_TX_ARET_ON);
}

static inline bool prepare(struct packet *packet, bool is_held)
{
    bool asks = (packet_data(packet)[0] & ACKNOWLEDGEMENT_REQUESTED) != 0;
    bool with_csma = has_csma && !is_held, ready;

    send_state = with_csma || asks ? STATE_TX_ARET_ON : STATE_PLL_ON;
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    ready = enter_send_state(with_csma);
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    return ready;
}

static void load(struct packet *packet, bool is_held)
{
    (void)is_held;
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    at86rf231_frame_write(packet_data(packet), (uint8_t)packet->length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);
    drop_late_frame();
}

/** What the chip reports; a frame from PLL_ON is just out. */
static enum radio_result result(void)
{
    uint8_t trac = TRAC_SUCCESS;
    enum radio_result result = RADIO_BUSY;

    if (send_state == STATE_TX_ARET_ON) {
        trac = at86rf231_read(TRX_STATE) >> TRAC_SHIFT;
    }
    if (trac == TRAC_SUCCESS || trac == TRAC_SUCCESS_DATA_PENDING) {
        result = RADIO_SENT;
    } else if (trac == TRAC_NO_ACK) {
        result = RADIO_NO_ACK;
    } else {
        expect(trac == TRAC_CHANNEL_ACCESS_FAILURE);
    }
    return send_result(result);
}

static void start_transmission(void)
{
    at86rf231_write(TRX_STATE, STATE_TX_START); /* the end of this access starts it: Atmel 8111C 7.2.4 */
    if (send_state == STATE_PLL_ON) {
        GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
        note_departure();
    }
}

/** Polls until the frame is out. The state may not show before the first symbol, so none is asked for before the SFD. */
static bool wait_for_end(void)
{
    uint32_t start_us = timer_now();

    for (;;) {
        uint32_t waited_us = timer_now() - start_us;

        if (waited_us > RADIO_FIRE_TO_SFD_US && at86rf231_status() == send_state) {
            return true;
        }
        if (waited_us > RADIO_GUARD_US) {
            return false;
        }
    }
}

/** Polls: an interrupt that is masked is not recorded (6.6). */
static void start_and_wait(void)
{
    at86rf231_write(IRQ_MASK, 0);
    start_transmission();
    if (wait_for_end()) {
        out.result = result();
    } else {
        radio_fault();
        expect(at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF));
        out.result = RADIO_BUSY;
    }
    at86rf231_write(IRQ_MASK, IRQ_TRX_END);
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

static void fire(void)
{
    at86rf231_port_pulse_slp_tr(); /* its rising edge starts it: 6.5 */
    GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
    note_departure();
}

static void break_off(void)
{
    expect(at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF));
    at86rf231_read(IRQ_STATUS);
    radio_forget_interrupt();
    expect(resume());
}

bool sender_awaits_end(void)
{
    return out.phase == SENDING;
}

void sender_ended(void)
{
    out.result = result();
    expect(resume());
    confirm();
}

void sender_service(void)
{
    confirm_if_ended();
}
