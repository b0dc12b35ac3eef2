#include "slotted.h"

#include "gpiorig/probe.h"

#include "mac.h"
#include "slot_radio.h"

void slotted_interrupt(struct alarm *alarm)
{
    (void)alarm;
    GPIORIG_EVENT(SLOT_INTERRUPT);
    actor_signal(&mac_actor, MAC_SIGNAL_PROTOCOL(0));
}

void slotted_start(struct slotted *node, uint32_t period_us)
{
    node->counts = (struct slotted_counts){ 0 };
    node->running = false;
    node->sending = SENDING_NOTHING;
    slot_radio_start();
    slot_clock_reset(&node->clock, period_us);
}

void slotted_stop(struct slotted *node)
{
    node->running = false;
    alarm_cancel(&node->alarm);
    node->sending = SENDING_NOTHING;
    slot_radio_stop();
    slot_radio_give_up(&node->packet, &node->queue);
}

void slotted_lose(struct slotted *node)
{
    node->counts.desynced++;
    node->running = false;
    alarm_cancel(&node->alarm);
    slot_radio_leave_slot();
    slot_radio_listen(true);
}

void slotted_conclude(struct slotted *node, enum radio_result result, uint8_t retries)
{
    if (result == RADIO_SENT) {
        node->counts.sent++;
    } else if (++node->tries <= retries) {
        node->counts.retried++;
        return;
    } else {
        node->counts.dropped++;
    }
    mac_settle(node->packet, result);
    node->packet = NULL;
}

void slotted_report(const struct slotted *node, struct line *line)
{
    line_pair(line, "sent", node->counts.sent);
    line_pair(line, "retried", node->counts.retried);
    line_pair(line, "dropped", node->counts.dropped);
    line_pair(line, "desynced", node->counts.desynced);
}
