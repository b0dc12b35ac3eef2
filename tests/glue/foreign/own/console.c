/** An application of one's own: the stack of the reference firmware, without its commands. It starts alone. */
#include "console.h"

#include <stddef.h>

#include "alarm.h"
#include "app.h"
#include "mac.h"
#include "settings.h"
#include "timer.h"

#define SIGNAL_BEGIN SIGNAL(2)
#define BEGIN_US 100000u
#define CLIENT 1u

void console_set_radio(bool works)
{
    static struct alarm begin = { .to = &console_actor, .signals = SIGNAL_BEGIN };

    settings.address = ADDRESS;
    settings.peer = PEER;
    if (works) {
        alarm_set(&begin, timer_now() + BEGIN_US);
    }
}

static void handle(const struct message *message)
{
    if ((message->value & SIGNAL_BEGIN) != 0) {
        actor_signal(&mac_actor, MAC_SIGNAL_CONFIGURE);
    }
    if ((message->value & CONSOLE_SIGNAL_CONFIGURED) != 0) {
        actor_signal(&mac_actor, MAC_SIGNAL_START);
        if (ADDRESS == CLIENT) {
            app_start(0);
        }
    }
}

ACTOR(console_actor, ACTOR_CONSOLE, handle, PRIORITIES, STACK_BYTES(512u));
