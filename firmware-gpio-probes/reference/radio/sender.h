/**
 * The life of a frame in a radio's transmitter: loaded, started or fired, ended, confirmed; and whether the radio listens
 * otherwise. A template: one file of each radio includes it and defines the functions that it declares, which send the probes
 * of their step. The compiler puts them in place; a call from another file, or through a pointer, would delay the probes
 * around it. Of radio.h it defines radio_send, _load, _fire, _is_sending, _departed,
 * _abort and _listen.
 */
#ifndef SENDER_H
#define SENDER_H

#include "gpiorig/probe.h"

#include "board.h"
#include "radio.h"
#include "radio_fault.h"
#include "radio_interrupt.h"
#include "timer.h"

#define ACKNOWLEDGEMENT_REQUESTED (1u << 5) /* frame control, first byte: IEEE 802.15.4-2006 7.2.1.1.4 */

static void (*confirmed)(uint16_t id, enum radio_result result);
static bool has_csma;
static enum radio_finish finish;
static bool listening; /* as radio_listen was called */

/** The frame in the chip. BACKOFF and ACK_WAIT: of a radio that leaves both to the processor. */
static struct {
    volatile enum { IDLE, LOADED, BACKOFF, SENDING, ACK_WAIT, ENDED } phase;
    uint16_t id;
    enum radio_result result; /* when ENDED */
    bool is_recorded, has_departed; /* its departure */
    uint32_t departed_us;
} out;

/** Brings the chip to where it can send; driver.prepare. `is_held`: the frame waits for radio_fire. False: the chip fails. */
static inline bool prepare(struct packet *packet, bool is_held);

/** Writes the frame into the chip; driver.load. */
static void load(struct packet *packet, bool is_held);

/** Leaves the phase IDLE. With RADIO_FINISH_BUSY it waits for the end of the transmission, and the phase is ENDED. */
static void start(void);

/** Starts what is loaded; from an interrupt, or not. */
static void fire(void);

/** Ends a transmission, or drops the frame that is loaded, and resumes. */
static void break_off(void);

/** Back from a transmission: listens, or is off, as `listening` states. False when the chip does not obey. */
static bool resume(void);

/** Not sending: turns the receiver on or off. False when the chip does not obey. */
static inline bool listen(bool on);

static inline void reset_sender(const struct radio_settings *settings, void (*callback)(uint16_t, enum radio_result))
{
    confirmed = callback;
    has_csma = settings->csma;
    finish = settings->finish;
    listening = true;
    out.phase = IDLE;
}

static inline bool put_in(struct packet *packet, bool is_held)
{
    if (out.phase != IDLE) {
        return false;
    }
    if (!prepare(packet, is_held)) {
        radio_fault();
        expect(resume());
        return false;
    }
    out.id = packet->id;
    out.is_recorded = packet->departure != DEPARTURE_ANY;
    load(packet, is_held);
    return true;
}

bool radio_send(struct packet *packet)
{
    if (!put_in(packet, false)) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_EXEC, packet->id);
    start();
    GPIORIG_EXIT_ID(DRIVER_EXEC, packet->id);
    if (out.phase == ENDED) {
        expect(resume());
        radio_ask_for_service();
    }
    return true;
}

bool radio_load(struct packet *packet)
{
    if (!put_in(packet, true)) {
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
    fire();
    GPIORIG_EXIT_ID(DRIVER_EXEC, out.id);
    return true;
}

bool radio_is_sending(void)
{
    return out.phase != IDLE;
}

/** Just after radio.tx_start. */
static inline void note_departure(void)
{
    if (out.is_recorded) {
        out.departed_us = timer_now();
        out.has_departed = true;
    }
}

bool radio_departed(uint32_t *departed_us)
{
    bool known = out.has_departed;

    *departed_us = out.departed_us;
    out.has_departed = false;
    return known;
}

bool radio_listen(bool on)
{
    bool good = true;

    if (on == listening) {
        return good;
    }
    listening = on;
    if (on) {
        GPIORIG_EVENT(RADIO_SET_RX);
    } else {
        GPIORIG_EVENT(RADIO_SET_IDLE);
    }
    if (out.phase == IDLE) {
        good = listen(on);
        expect(good);
    }
    return good;
}

static inline enum radio_result send_result(enum radio_result result)
{
    if (result == RADIO_SENT) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, out.id);
    } else if (result == RADIO_NO_ACK) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, out.id);
    } else {
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, out.id);
    }
    return result;
}

static void confirm(void)
{
    out.phase = IDLE;
    GPIORIG_EVENT_ID(DRIVER_CONFIRM, out.id);
    confirmed(out.id, out.result);
}

static inline void confirm_if_ended(void)
{
    if (out.phase == ENDED) {
        confirm();
    }
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
        break_off();
        out.result = RADIO_BUSY;
        out.phase = ENDED;
    }
    confirm_if_ended();
}

#endif
