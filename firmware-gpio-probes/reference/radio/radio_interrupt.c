#include "radio_interrupt.h"

#include "board.h"
#include "mac.h"
#include "radio_port.h"

static volatile bool pending;
static volatile uint32_t came_us;

void radio_ask_for_service(void)
{
    actor_signal(&mac_actor, MAC_SIGNAL_RADIO);
}

void radio_interrupt(uint32_t at_us)
{
    came_us = at_us;
    pending = true;
    radio_ask_for_service();
}

bool radio_take_interrupt(uint32_t *at_us)
{
    irq_state state = irq_lock();
    bool was_pending = pending;

    *at_us = came_us;
    pending = false;
    irq_unlock(state);
    return was_pending;
}
