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

/* Of the receiver, spirit1.c: */

/** nIRQ is low. */
bool receiver_interrupts(void);

/** Lets a packet that is coming in end, and the acknowledgement that the chip sends by itself; then leaves RX for READY. */
bool receiver_off(void);

/** Leaves RX or TX for READY, whatever goes on. */
bool receiver_break_off(void);

/** From READY back to what radio_listen said. False when the chip does not obey. */
bool receiver_resume(void);

#endif
