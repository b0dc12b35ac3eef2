/** Sending with a CC2420, and its receiver on or off; sender.h. Of radio.h it also defines radio_set_channel. */
#ifndef CC2420_SENDER_H
#define CC2420_SENDER_H

#include "radio.h"

/** Gives up what is being sent; the end of each transmission is reported to `callback`. The radio is to listen. */
void sender_configure(const struct radio_settings *settings, void (*callback)(uint16_t id, enum radio_result result));

/** From the next SRXON or STXON. */
void sender_write_channel(uint8_t channel);

/** Drops the frames in the RXFIFO. */
void sender_flush_receiver(void);

/** An acknowledgement with this sequence number has come. */
void sender_acknowledged(uint8_t sequence);

/** To be called by radio_service. */
void sender_service(void);

#endif
