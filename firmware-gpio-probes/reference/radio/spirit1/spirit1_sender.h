/** Sending with a SPIRIT1. Of radio.h it defines radio_send, _load, _fire, _is_sending and _abort. */
#ifndef SPIRIT1_SENDER_H
#define SPIRIT1_SENDER_H

#include "radio.h"

/** Gives up what is being sent; the end of each transmission is reported to `callback`. In READY. */
void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t id, enum radio_result result));

/** True when these interrupts, of IRQ_STATUS, are the end of a transmission, which then is confirmed. */
bool sender_takes(uint32_t interrupts);

/** Confirms a transmission whose end was not awaited by an interrupt. */
void sender_service(void);

#endif
