/*
 * An AT86RF231 sends in TX_ARET_ON, where CSMA-CA, the acknowledgement and retries are the chip's, or in PLL_ON, where it
 * just sends: the basic operating mode.
 */
#include "at86rf231_sender.h"

#include "gpiorig/probe.h"

#include "at86rf231_bus.h"
#include "at86rf231_port.h"
#include "at86rf231_registers.h"
#include "board.h"
#include "radio_fault.h"
#include "radio_interrupt.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "timer.h"

#define ACKNOWLEDGEMENT_REQUESTED (1u << 5) /* frame control, first octet: IEEE 802.15.4-2006 7.2.1.1.4 */

static void (*confirmed)(uint16_t id, enum radio_result result);
static bool has_csma;
static enum radio_finish finish;

/** The frame in the chip. */
static struct {
    volatile enum { IDLE, LOADED, SENDING, ENDED } phase;
    uint8_t state; /* from which it is sent: STATE_PLL_ON or STATE_TX_ARET_ON */
    uint16_t id;
    enum radio_result result; /* when ENDED */
} out;

void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t, enum radio_result))
{
    confirmed = callback;
    has_csma = settings->csma;
    finish = settings->finish;
    out.phase = IDLE;
}

/** A frame that ended while the transmitter was being prepared is lost: its buffer is about to be overwritten. */
static void drop_late_frame(void)
{
    uint32_t at_us;

    if (radio_port_interrupt_level()) {
        at86rf231_read(IRQ_STATUS);
        radio_take_interrupt(&at_us);
        radio_fault();
        GPIORIG_EVENT(DRIVER_RX_DROP);
    }
}

static bool prepare(bool csma)
{
    expect(at86rf231_leave_receive());
    drop_late_frame();
    if (out.state == STATE_PLL_ON) {
        return at86rf231_status() == STATE_PLL_ON;
    }
    at86rf231_write(XAH_CTRL_0, csma ? XAH_CTRL_0_RETRIES : XAH_CTRL_0_AT_ONCE);
    return at86rf231_enter(STATE_TX_ARET_ON, STATE_TX_ARET_ON);
}

/** Brings the chip to where it can send, and the frame into it. */
static bool load(struct packet *packet, bool csma)
{
    bool asks = (packet_data(packet)[0] & ACKNOWLEDGEMENT_REQUESTED) != 0;
    bool ready;

    if (out.phase != IDLE) {
        return false;
    }
    out.id = packet->id;
    out.state = csma || asks ? STATE_TX_ARET_ON : STATE_PLL_ON;
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    ready = prepare(csma);
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    if (!ready) {
        radio_fault();
        expect(receiver_resume());
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    at86rf231_frame_write(packet_data(packet), (uint8_t)packet->length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);
    return true;
}

/** How it went; a frame from PLL_ON is just out. */
static enum radio_result result(void)
{
    uint8_t trac = TRAC_SUCCESS;

    if (out.state == STATE_TX_ARET_ON) {
        trac = at86rf231_read(TRX_STATE) >> TRAC_SHIFT;
    }
    if (trac == TRAC_SUCCESS || trac == TRAC_SUCCESS_DATA_PENDING) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, out.id);
        return RADIO_SENT;
    }
    if (trac == TRAC_NO_ACK) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, out.id);
        return RADIO_NO_ACK;
    }
    expect(trac == TRAC_CHANNEL_ACCESS_FAILURE);
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
    at86rf231_write(TRX_STATE, STATE_TX_START); /* the end of this access starts it: Atmel 8111C 7.2.4 */
    if (out.state == STATE_PLL_ON) {
        GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
    }
}

/** Polls until the frame is out. The state may not show before the first symbol, so none is asked for before the SFD. */
static bool wait_for_end(void)
{
    uint32_t start_us = timer_now();

    for (;;) {
        uint32_t waited_us = timer_now() - start_us;

        if (waited_us > RADIO_FIRE_TO_SFD_US && at86rf231_status() == out.state) {
            return true;
        }
        if (waited_us > RADIO_GUARD_US) {
            return false;
        }
    }
}

/** No interrupt tells of the end: one that is masked is not even noted (6.6). */
static void start_and_wait(void)
{
    at86rf231_write(IRQ_MASK, 0);
    start();
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
    out.phase = LOADED;
    return true;
}

bool radio_fire(void)
{
    if (out.phase != LOADED) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_EXEC, out.id);
    out.phase = SENDING;
    at86rf231_port_pulse_slp_tr(); /* its rising edge starts it: 6.5 */
    GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
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
        expect(at86rf231_enter(STATE_FORCE_TRX_OFF, STATE_TRX_OFF));
        at86rf231_read(IRQ_STATUS);
        radio_take_interrupt(&at_us);
        expect(receiver_resume());
        out.result = RADIO_BUSY;
        confirm();
    }
}

bool sender_awaits_end(void)
{
    return out.phase == SENDING;
}

void sender_ended(void)
{
    out.result = result();
    expect(receiver_resume());
    confirm();
}

void sender_service(void)
{
    if (out.phase == ENDED) {
        confirm();
    }
}
