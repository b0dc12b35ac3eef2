#include "radio_access.h"

#include <stdbool.h>
#include <stddef.h>

#include "board.h"
#include "radio_port.h"

static volatile bool under_way;
static void (*volatile waiting)(void);

void radio_access_begin(void)
{
    under_way = true;
    radio_port_select();
}

void radio_access_end(void)
{
    irq_state state = irq_lock();
    void (*act)(void) = waiting;

    radio_port_deselect();
    waiting = NULL;
    under_way = false;
    irq_unlock(state);
    if (act != NULL) {
        act();
    }
}

void radio_when_free(void (*act)(void))
{
    if (under_way) {
        waiting = act;
    } else {
        act();
    }
}
