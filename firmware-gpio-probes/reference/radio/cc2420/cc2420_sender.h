/** Sending with a CC2420. Of radio.h it defines radio_send, _load, _fire, _is_sending and _abort. */
#ifndef CC2420_SENDER_H
#define CC2420_SENDER_H

#include "radio.h"

/** Gives up what is being sent; the end of each transmission is reported to `callback`. */
void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t id, enum radio_result result));

/** An acknowledgement with this sequence number has come. */
void sender_acknowledged(uint8_t sequence);

/** To be called by radio_service. */
void sender_service(void);

#endif
