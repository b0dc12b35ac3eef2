/** Sending with an AT86RF231, and its receiver on or off; sender.h. */
#ifndef AT86RF231_SENDER_H
#define AT86RF231_SENDER_H

#include "radio.h"

/** Gives up what is being sent; the end of each transmission is reported to `callback`. The radio is to listen. */
void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t id, enum radio_result result));

/** To listening, or off, from any state. False when the chip does not obey. */
bool sender_resume(void);

/** True while the next TRX_END will be that of a transmission. */
bool sender_awaits_end(void);

/** The TRX_END of a transmission, which is confirmed. */
void sender_ended(void);

/** Confirms a transmission whose end was not awaited by an interrupt. */
void sender_service(void);

#endif
