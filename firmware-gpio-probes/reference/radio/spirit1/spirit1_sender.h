/** Sending with a SPIRIT1, and its receiver on or off; sender.h. Of radio.h it also defines radio_is_receiving. */
#ifndef SPIRIT1_SENDER_H
#define SPIRIT1_SENDER_H

#include "radio.h"

/** Gives up what is being sent; the end of each transmission is reported to `callback`. The radio is to listen. In READY. */
void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t id, enum radio_result result));

/** Leaves RX or TX for READY at once. False when the chip does not obey. */
bool sender_ready(void);

/** From READY: listens, or stays there, as radio_listen was called. False when the chip does not obey. */
bool sender_resume(void);

/** True when these interrupts, of IRQ_STATUS, are the end of a transmission, which then is confirmed. */
bool sender_takes(uint32_t interrupts);

/** Confirms a transmission whose end was not awaited by an interrupt. */
void sender_service(void);

#endif
