/** Sending with an MRF24J40, and its receiver on or off; sender.h. Of radio.h it also defines radio_is_receiving. */
#ifndef MRF24J40_SENDER_H
#define MRF24J40_SENDER_H

#include "radio.h"

/** Resets the chip, writes the settings and listens; gives up what is being sent. Ends are reported to `callback`. */
void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t id, enum radio_result result));

/** Another channel; 200 us. */
void sender_tune(uint8_t channel);

/** While a frame is read from the chip it does not receive, which would overwrite it: 3.11.2. */
void sender_hold(void);
void sender_release(void);

/** What INTSTAT shows and showed; reading clears it. What is not INTERRUPT_TX of a transmission is left to the caller. */
uint8_t sender_interrupts(void);

/** The end of a transmission, which is confirmed. */
void sender_ended(void);

/** Confirms a transmission whose end was not awaited by an interrupt. */
void sender_service(void);

#endif
