/** Sending with the nRF52840's radio, and its receiver on or off; sender.h. Of radio.h it also defines radio_set_channel. */
#ifndef NRF52840_SENDER_H
#define NRF52840_SENDER_H

#include "radio.h"

/** Gives up what is being sent; the end of each transmission is reported to `callback`. The radio is to listen. */
void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t id, enum radio_result result));

/** To be called by radio_service. */
void sender_service(void);

#endif
