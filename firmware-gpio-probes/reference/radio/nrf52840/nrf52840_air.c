#include "nrf52840_air.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "interrupts.h"
#include "nrf52840_radio.h"
#include "packet.h"
#include "radio_fault.h"
#include "radio_interrupt.h"
#include "timer.h"

#define ARRIVALS 4u
#define SFD_CAPTURE 2u /* channel of TIMER1 that FRAMESTART captures */
#define DISABLED_US 50u /* DISABLE takes 21 us at most */

/*
 * An acknowledgement begins 192 us after the frame: TXEN 20 us before that, which TIMER0 at 16 MHz brings, two edges of 16 MHz
 * after PHYEND and after its compare. PHYEND is 23 us late (both times: nrf_802154_procedures_duration.h of Nordic's driver),
 * and the first bit is 1 us after READY (NHW_RADIO_timings.c of its models, BabbleSim ext_nRF_hw_models).
 */
#define RX_DELAY_US 23u
#define TURNAROUND_US 21u
#define ACK_DELAY_16 ((192u - TURNAROUND_US - RX_DELAY_US) * 16u - 2u)
#define ACK_LENGTH 5u

/* Frame control, IEEE 802.15.4-2006 7.2.1.1 */
#define TYPE_MASK 7u
#define TYPE_ACK 2u
#define ASKS_ACK (1u << 5)
#define SHORT_DESTINATION (2u << 2) /* of the second byte */
#define DESTINATION_MASK (3u << 2)
#define SHORT_HEADER 7u

static enum { OFF, LISTENING, ACKNOWLEDGING, SENDING } mode;
static bool stays_on;
static uint16_t own_pan, own_address;

static struct arrival arrivals[ARRIVALS];
static volatile uint8_t filled, taken; /* free-running */
static struct air_frame outgoing;
static struct air_frame acknowledgement = { .length = ACK_LENGTH, .psdu = { TYPE_ACK, 0 } };

static volatile enum air_outcome outcome;
static volatile int acknowledged = -1;
static volatile uint8_t crc_errors, overruns;

void air_init(void)
{
    RADIO_POWER = 0;
    RADIO_POWER = 1;
    RADIO_MODE = MODE_IEEE802154;
    RADIO_PCNF0 = PCNF0_IEEE802154;
    RADIO_PCNF1 = RADIO_PSDU_MAX;
    RADIO_CRCCNF = CRCCNF_IEEE802154;
    RADIO_CRCPOLY = CRCPOLY_IEEE802154;
    RADIO_CRCINIT = 0;
    RADIO_MODECNF0 = MODECNF0_FAST_CENTER;
    RADIO_CCACTRL = CCACTRL_ED_75DBM;
    RADIO_INTENSET = RADIO_INTERRUPT_OF(EVENT_PHYEND) | RADIO_INTERRUPT_OF(EVENT_CCAIDLE) | RADIO_INTERRUPT_OF(EVENT_CCABUSY);
    TIMER_BITMODE(TIMER0) = TIMER_BITMODE_32;
    TIMER_PRESCALER(TIMER0) = 0;
    TIMER_CC(TIMER0, 0) = ACK_DELAY_16;
    TIMER_SHORTS(TIMER0) = TIMER_COMPARE_STOP(0);
    PPI_EEP(PPI_PHYEND_TO_TIMER0) = RADIO_BASE + EVENT_PHYEND;
    PPI_TEP(PPI_PHYEND_TO_TIMER0) = (uint32_t)&TIMER_TASKS_CLEAR(TIMER0);
    PPI_FORK_TEP(PPI_PHYEND_TO_TIMER0) = (uint32_t)&TIMER_TASKS_START(TIMER0);
    PPI_EEP(PPI_FRAMESTART_TO_TIMER1) = RADIO_BASE + EVENT_FRAMESTART;
    PPI_TEP(PPI_FRAMESTART_TO_TIMER1) = (uint32_t)&TIMER_TASKS_CAPTURE(TIMER1, SFD_CAPTURE);
    PPI_CHENSET = 1u << PPI_PHYEND_TO_TIMER0 | 1u << PPI_FRAMESTART_TO_TIMER1;
    nvic_enable(IRQ_RADIO, 1); /* as urgent as the timer: the two do not nest */
}

void air_configure(uint16_t pan, uint16_t address)
{
    own_pan = pan;
    own_address = address;
    taken = filled;
    outcome = AIR_NONE;
    acknowledged = -1;
}

void air_set_channel(uint8_t channel)
{
    RADIO_FREQUENCY = FREQUENCY_OF(channel);
}

static void clear_events(void)
{
    RADIO_EVENT(EVENT_ADDRESS) = 0;
    RADIO_EVENT(EVENT_FRAMESTART) = 0;
    RADIO_EVENT(EVENT_PHYEND) = 0;
    RADIO_EVENT(EVENT_CCAIDLE) = 0;
    RADIO_EVENT(EVENT_CCABUSY) = 0;
}

/** Off, whatever it does. */
static void disable(void)
{
    uint32_t start_us = timer_now();

    PPI_CHENCLR = 1u << PPI_TIMER0_TO_TXEN;
    RADIO_SHORTS = 0;
    if (RADIO_STATE != STATE_DISABLED) {
        RADIO_TASK(TASK_DISABLE) = 1;
    }
    while (RADIO_STATE != STATE_DISABLED) {
        if (timer_now() - start_us > DISABLED_US) {
            radio_fault();
            break;
        }
    }
    clear_events();
}

static struct arrival *next_arrival(void)
{
    return &arrivals[filled % ARRIVALS];
}

/** From an idle state, ramped up or not. */
static void receive(void)
{
    mode = LISTENING;
    clear_events();
    RADIO_PACKETPTR = (uint32_t)&next_arrival()->frame;
    RADIO_SHORTS = SHORT_RXREADY_START;
    RADIO_TASK(RADIO_STATE == STATE_RXIDLE ? TASK_START : TASK_RXEN) = 1;
}

void air_listen(void)
{
    irq_state state = irq_lock();

    if (mode == OFF) {
        disable();
        receive();
    }
    irq_unlock(state);
}

void air_off(void)
{
    irq_state state = irq_lock();

    disable();
    mode = OFF;
    irq_unlock(state);
}

bool air_is_receiving(void)
{
    return mode == LISTENING && RADIO_EVENT(EVENT_ADDRESS) != 0 && RADIO_EVENT(EVENT_PHYEND) == 0;
}

bool air_is_acknowledging(void)
{
    return mode == ACKNOWLEDGING;
}

struct air_frame *air_outgoing(void)
{
    return &outgoing;
}

void air_send(bool has_cca, bool listens_after)
{
    irq_state state = irq_lock();

    stays_on = listens_after;
    RADIO_SHORTS = 0;
    if (mode != OFF) {
        if (RADIO_STATE == STATE_RX) {
            RADIO_TASK(TASK_STOP) = 1;
        } else if (RADIO_STATE != STATE_RXIDLE) {
            disable();
        }
    }
    mode = SENDING;
    outcome = AIR_NONE;
    clear_events();
    RADIO_PACKETPTR = (uint32_t)&outgoing;
    if (!has_cca) {
        RADIO_SHORTS = SHORT_TXREADY_START;
        RADIO_TASK(TASK_TXEN) = 1;
        air_departs();
    } else {
        RADIO_SHORTS = SHORT_RXREADY_CCASTART | SHORT_CCAIDLE_STOP | SHORT_CCAIDLE_TXEN | SHORT_TXREADY_START;
        RADIO_TASK(RADIO_STATE == STATE_RXIDLE ? TASK_CCASTART : TASK_RXEN) = 1;
    }
    irq_unlock(state);
}

enum air_outcome air_take_outcome(void)
{
    irq_state state = irq_lock();
    enum air_outcome taken_outcome = outcome;

    outcome = AIR_NONE;
    irq_unlock(state);
    return taken_outcome;
}

const struct arrival *air_received(void)
{
    return filled == taken ? NULL : &arrivals[taken % ARRIVALS];
}

void air_release(void)
{
    taken++;
}

int air_take_acknowledgement(void)
{
    irq_state state = irq_lock();
    int sequence = acknowledged;

    acknowledged = -1;
    irq_unlock(state);
    return sequence;
}

static uint8_t take(volatile uint8_t *count)
{
    irq_state state = irq_lock();
    uint8_t value = *count;

    *count = 0;
    irq_unlock(state);
    return value;
}

uint8_t air_take_crc_errors(void)
{
    return take(&crc_errors);
}

uint8_t air_take_overruns(void)
{
    return take(&overruns);
}

/** A frame to this node or to all, of its PAN, with short addresses. */
static bool is_for_us(const struct air_frame *frame)
{
    uint16_t pan = get_le16(frame->psdu + 3), destination = get_le16(frame->psdu + 5);

    return frame->length >= SHORT_HEADER + RADIO_FCS_LENGTH && (frame->psdu[0] & TYPE_MASK) != TYPE_ACK &&
           (frame->psdu[1] & DESTINATION_MASK) == SHORT_DESTINATION && (pan == own_pan || pan == 0xFFFFu) &&
           (destination == own_address || destination == 0xFFFFu);
}

/** False when the time for it has passed. */
static bool acknowledge(uint8_t sequence)
{
    acknowledgement.psdu[2] = sequence;
    RADIO_PACKETPTR = (uint32_t)&acknowledgement;
    RADIO_SHORTS = SHORT_TXREADY_START;
    PPI_CHENSET = 1u << PPI_TIMER0_TO_TXEN;
    TIMER_TASKS_CAPTURE(TIMER0, 1) = 1; /* it has stopped at the compare, if it was there */
    if (TIMER_CC(TIMER0, 1) >= ACK_DELAY_16 && RADIO_STATE == STATE_RXIDLE) {
        PPI_CHENCLR = 1u << PPI_TIMER0_TO_TXEN;
        radio_fault();
        return false;
    }
    mode = ACKNOWLEDGING;
    return true;
}

/** A frame is complete; EasyDMA has written it. */
static void frame_arrived(void)
{
    struct arrival *arrival = next_arrival();
    const struct air_frame *frame = &arrival->frame;
    bool asks;

    if (RADIO_CRCSTATUS == 0) {
        crc_errors++;
    } else if (frame->length == ACK_LENGTH && (frame->psdu[0] & TYPE_MASK) == TYPE_ACK) {
        acknowledged = frame->psdu[2];
    } else if (!is_for_us(frame)) {
        receive();
        return;
    } else if ((uint8_t)(filled - taken) >= ARRIVALS - 1u) {
        overruns++;
    } else {
        arrival->sfd_us = TIMER_CC(TIMER1, SFD_CAPTURE) - RADIO_OCTET_US - RX_DELAY_US;
        asks = (frame->psdu[0] & ASKS_ACK) != 0 && get_le16(frame->psdu + 5) == own_address;
        filled++;
        radio_ask_for_service();
        if (asks && acknowledge(frame->psdu[2])) {
            return;
        }
        receive();
        return;
    }
    radio_ask_for_service();
    receive();
}

static void sent(enum air_outcome result)
{
    outcome = result;
    radio_ask_for_service();
    if (stays_on) {
        receive();
    } else {
        disable();
        mode = OFF;
    }
}

static void ended(void)
{
    if (mode == LISTENING) {
        frame_arrived();
    } else if (mode == ACKNOWLEDGING) {
        PPI_CHENCLR = 1u << PPI_TIMER0_TO_TXEN;
        receive();
    } else if (mode == SENDING) {
        sent(AIR_SENT);
    }
}

void air_poll(void)
{
    if (RADIO_EVENT(EVENT_CCAIDLE) != 0) {
        RADIO_EVENT(EVENT_CCAIDLE) = 0;
        air_departs();
    }
    if (RADIO_EVENT(EVENT_CCABUSY) != 0) {
        RADIO_EVENT(EVENT_CCABUSY) = 0;
        sent(AIR_BUSY);
    }
    if (RADIO_EVENT(EVENT_PHYEND) != 0) {
        RADIO_EVENT(EVENT_PHYEND) = 0;
        ended();
    }
}

void air_interrupts(bool on)
{
    if (on) {
        nvic_enable(IRQ_RADIO, 1);
    } else {
        nvic_disable(IRQ_RADIO);
    }
}

void radio_handler(void)
{
    GPIORIG_ENTER(ISR_RADIO);
    air_poll();
    GPIORIG_EXIT(ISR_RADIO);
}
