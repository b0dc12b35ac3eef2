/** Sending with an AT86RF231. Of radio.h it defines radio_send, _load, _fire, _is_sending and _abort. */
#ifndef AT86RF231_SENDER_H
#define AT86RF231_SENDER_H

#include "radio.h"

/** Gives up what is being sent; the end of each transmission is reported to `callback`. */
void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t id, enum radio_result result));

/** True while the next TRX_END will be that of a transmission. */
bool sender_awaits_end(void);

/** TRX_END has come for it. */
void sender_ended(void);

/** Confirms a transmission whose end was not awaited by an interrupt. */
void sender_service(void);

#endif
