/**
 * TSCH, by the macros of gpiorig-conf.h. A slot has one macro for all steps of sending and one for all of receiving:
 *
 *     TX  begin, [before the CCA, after it], before transmit, [listening for the ACK, it began, it ended], end
 *     RX  begin, listening, [a frame began, it ended, [before the ACK is sent]], end
 *
 * The order tells which step it is; whether it is the last one is unknown when it comes. So the first opens slot.tx or
 * slot.rx, and the slot's end, which follows the last at once, closes it. What lies between, the radio's events tell: load,
 * exec, set_rx, set_idle, read. GPIORIG_TSCH_STEPS sends each step as rig.marker: 0x7400 (TX) or 0x7200 (RX) + its number.
 */
#include "gpiorig-contiki.h"

#if !defined GPIORIG_OFF && MAC_CONF_WITH_TSCH

#include "net/mac/tsch/tsch.h"

/* Called from gpiorig-conf.h. */
void gpiorig_tsch_started(void);
void gpiorig_tsch_interrupted(void);
void gpiorig_tsch_slot_started(void);
void gpiorig_tsch_slot_ended(void);
void gpiorig_tsch_tx(void);
void gpiorig_tsch_rx(void);

enum part { NEITHER, SENDING, RECEIVING };

static enum part part;
static uint16_t slot; /* low 16 bits of its absolute number */
static uint8_t steps;

static void step(uint16_t which)
{
#if GPIORIG_TSCH_STEPS
    GPIORIG_EVENT_ID(RIG_MARKER, which | ++steps);
#else
    (void)which;
    (void)steps;
#endif
}

void gpiorig_tsch_started(void)
{
    part = NEITHER;
}

/** Each (re)entry of the slot's state machine, from the rtimer's interrupt or the function that starts the network. */
void gpiorig_tsch_interrupted(void)
{
    GPIORIG_EVENT(SLOT_INTERRUPT);
}

void gpiorig_tsch_slot_started(void)
{
    slot = (uint16_t)tsch_current_asn.ls4b;
    part = NEITHER;
    steps = 0;
    GPIORIG_ENTER_ID(SLOT_ACTIVE, slot);
}

void gpiorig_tsch_tx(void)
{
    if (part == NEITHER) {
        part = SENDING;
        GPIORIG_ENTER(SLOT_TX);
    }
    step(0x7400);
}

void gpiorig_tsch_rx(void)
{
    if (part == NEITHER) {
        part = RECEIVING;
        GPIORIG_ENTER(SLOT_RX);
    }
    step(0x7200);
}

void gpiorig_tsch_slot_ended(void)
{
    if (part == SENDING) {
        GPIORIG_EXIT(SLOT_TX);
    } else if (part == RECEIVING) {
        GPIORIG_EXIT(SLOT_RX);
    }
    part = NEITHER;
    GPIORIG_EXIT_ID(SLOT_ACTIVE, slot);
}

#endif
