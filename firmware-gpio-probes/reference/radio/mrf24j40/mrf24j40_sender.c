/*
 * An MRF24J40 does CSMA-CA, acknowledgement and retries by itself, from one write to TXNCON on. Nothing ends that but a reset,
 * after which all registers are written again. It listens before, between and after its transmissions.
 */
#include "mrf24j40_sender.h"

#include "board.h"
#include "mrf24j40_bus.h"
#include "mrf24j40_registers.h"
#include "radio_access.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "sender.h"
#include "timer.h"

#define CALIBRATION_US 200u /* 192 at least after a reset of the RF state machine: 3.1 */
#define INTERRUPTS_ON ((uint8_t) ~(INTERRUPT_RX | INTERRUPT_TX))
#define INTERRUPTS_OFF 0xFFu

static struct radio_settings settings;
static bool asks;          /* the frame in the chip, for an acknowledgement */
static uint8_t interrupts; /* that were read while something else was waited for */

void sender_tune(uint8_t channel)
{
    settings.channel = channel;
    mrf24j40_write_long(RFCON0, RFCON0_CHANNEL(channel));
    mrf24j40_write(RFCTL, RFCTL_RESET);
    mrf24j40_write(RFCTL, 0);
    timer_spin(CALIBRATION_US);
}

static uint8_t receiver_off(bool off)
{
    return off ? BBREG1_RECEIVER_OFF : 0;
}

/* 3.2, with RFCON1 as the register's description recommends it. CCA mode 1, threshold -69 dBm; RSSI of each frame. */
static void set_up(void)
{
    static const uint8_t registers[][2] = {
        { SOFTRST, SOFTRST_ALL }, { PACON2, 0x98 },   { TXSTBL, 0x95 }, { TXTIME, TXTIME_12_SYMBOLS },
        { BBREG2, 0x80 },         { CCAEDTH, 0x60 },  { BBREG6, 0x40 },
    };
    static const struct {
        uint16_t address;
        uint8_t value;
    } long_registers[] = {
        { RFCON1, 0x02 }, { RFCON2, 0x80 },  { RFCON6, 0x90 },
        { RFCON7, 0x80 }, { RFCON8, 0x10 },  { SLPCON1, 0x21 }, { SLPCON0, SLPCON0_RISING },
    };

    for (uint8_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        mrf24j40_write(registers[i][0], registers[i][1]);
    }
    for (uint8_t i = 0; i < sizeof long_registers / sizeof long_registers[0]; i++) {
        mrf24j40_write_long(long_registers[i].address, long_registers[i].value);
    }
    mrf24j40_write(SADRL, (uint8_t)settings.address);
    mrf24j40_write(SADRH, (uint8_t)(settings.address >> 8));
    mrf24j40_write(PANIDL, (uint8_t)settings.pan);
    mrf24j40_write(PANIDH, (uint8_t)(settings.pan >> 8));
    for (uint8_t i = 0; i < 8; i++) {
        mrf24j40_write((uint8_t)(EADR0 + i), (uint8_t)(board_uid(BOARD_UID_WORDS - 2u + i / 4u) >> 8u * (i % 4u)));
    }
    sender_tune(settings.channel);
    mrf24j40_write(BBREG1, receiver_off(!listening));
    (void)mrf24j40_read(INTSTAT);
    interrupts = 0;
    radio_forget_interrupt();
    mrf24j40_write(INTCON, INTERRUPTS_ON);
}

void sender_configure(const struct radio_settings *values, void (*callback)(uint16_t, enum radio_result))
{
    settings = *values;
    reset_sender(values, callback);
    set_up();
}

static inline bool listen(bool on)
{
    mrf24j40_write(BBREG1, receiver_off(!on));
    return true;
}

static bool resume(void)
{
    return listen(listening);
}

void sender_hold(void)
{
    mrf24j40_write(BBREG1, BBREG1_RECEIVER_OFF);
}

void sender_release(void)
{
    mrf24j40_write(RXFLUSH, RXFLUSH_NOW);
    /* An acknowledgement that is waited for is received as well. */
    mrf24j40_write(BBREG1, receiver_off(!listening && !(out.phase == SENDING && asks)));
}

/** Nothing in the chip tells: a frame may be arriving as long as the receiver is on. */
bool radio_is_receiving(void)
{
    return listening;
}

static inline bool prepare(struct packet *packet, bool is_held)
{
    uint8_t mode = TXMCR_NOCSMA;

    asks = (packet_data(packet)[0] & ACKNOWLEDGEMENT_REQUESTED) != 0;
    if (has_csma && !is_held) {
        mode = TXMCR_EXPONENT(settings.backoff ? settings.exponent : 0u) | TXMCR_BACKOFFS;
    }
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    mrf24j40_write(TXMCR, mode);
    if (is_held) {
        sender_hold();
    }
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    return true;
}

static void load(struct packet *packet, bool is_held)
{
    (void)is_held;
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    mrf24j40_frame_write(packet_data(packet), (uint8_t)packet->length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);
}

/** The chip listens for the acknowledgement if it may; retries are the chip's, also without CSMA-CA. */
static void trigger(void)
{
    mrf24j40_write(TXNCON, TXNCON_TRIGGER | (asks ? TXNCON_ACKNOWLEDGEMENT : 0u));
}

static void trigger_at_once(void)
{
    trigger();
    GPIORIG_EVENT_ID(RADIO_TX_START, out.id);
    note_departure();
}

static void start_transmission(void)
{
    if (asks && !listening) {
        mrf24j40_write(BBREG1, 0);
    }
    if (has_csma) {
        trigger();
    } else {
        trigger_at_once();
    }
}

static enum radio_result result(void)
{
    uint8_t status = mrf24j40_read(TXSTAT);

    if ((status & TXSTAT_CCA_FAILED) != 0) {
        return send_result(RADIO_BUSY);
    }
    return send_result((status & TXSTAT_FAILED) != 0 ? RADIO_NO_ACK : RADIO_SENT);
}

/** A frame that was received meanwhile waits. */
static void start_and_wait(void)
{
    uint32_t start_us;

    mrf24j40_write(INTCON, INTERRUPTS_OFF);
    start_transmission();
    start_us = timer_now();
    while ((interrupts & INTERRUPT_TX) == 0 && timer_now() - start_us <= RADIO_GUARD_US) {
        interrupts |= mrf24j40_read(INTSTAT);
    }
    if ((interrupts & INTERRUPT_TX) != 0) {
        out.result = result();
        interrupts &= (uint8_t)~INTERRUPT_TX;
        mrf24j40_write(INTCON, INTERRUPTS_ON);
    } else {
        radio_fault();
        set_up();
        out.result = RADIO_BUSY;
    }
    out.phase = ENDED;
    if (interrupts != 0) {
        radio_interrupt(timer_now());
    }
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
    if (asks || listening) {
        mrf24j40_write(BBREG1, 0);
    }
    trigger_at_once();
}

static void fire(void)
{
    radio_when_free(fire_when_free);
}

static void break_off(void)
{
    set_up();
}

uint8_t sender_interrupts(void)
{
    uint8_t all = interrupts | mrf24j40_read(INTSTAT);

    interrupts = 0;
    return all;
}

void sender_ended(void)
{
    if (out.phase != SENDING) {
        radio_fault();
        return;
    }
    out.result = result();
    expect(resume());
    confirm();
}

void sender_service(void)
{
    confirm_if_ended();
}
