/** Slots, by the debug pins of IEEE802154E.c: the slot's begins a slot, that of its state machine tells its end. */
#include "gpiorig_openwsn.h"

#include "IEEE802154E.h"
#include "debugpins.h"
#include "schedule.h"

GPIORIG_WRAPS(debugpins_slot_toggle);
GPIORIG_WRAPS(debugpins_frame_toggle);
GPIORIG_WRAPS(debugpins_fsm_clr);

static uint16_t slot;
static bool is_open, was_switched_off;

static uint32_t slot_number(void)
{
    uint8_t asn[5];

    ieee154e_getAsn(asn);
    return (uint32_t)asn[3] << 24 | (uint32_t)asn[2] << 16 | (uint32_t)asn[1] << 8 | asn[0];
}

static void close(void)
{
    if (is_open) {
        is_open = false;
        gpiorig_radio_slot_over();
        GPIORIG_EXIT_ID(SLOT_ACTIVE, slot);
    }
}

void gpiorig_slot_radio_off(void)
{
    was_switched_off = true;
}

/** A slot begins, after its number was counted. One that took too long is still open. */
void __wrap_debugpins_slot_toggle(void)
{
    close();
    slot = (uint16_t)slot_number();
    is_open = true;
    was_switched_off = false;
    GPIORIG_ENTER_ID(SLOT_ACTIVE, slot);
    __real_debugpins_slot_toggle();
}

/** It is the first of a slotframe; with equal schedules all nodes have the same number. */
void __wrap_debugpins_frame_toggle(void)
{
    GPIORIG_EVENT_ID(SLOT_FRAME, (uint16_t)(slot_number() / schedule_getFrameLength()));
    __real_debugpins_frame_toggle();
}

/** The state machine sleeps, or it begins to receive. Only before the sleep has endSlot() switched the radio off. */
void __wrap_debugpins_fsm_clr(void)
{
    __real_debugpins_fsm_clr();
    if (was_switched_off) {
        close();
    }
}
