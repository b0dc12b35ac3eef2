/* Stand-in for bsp/boards/radio.h. */
#ifndef RADIO_H
#define RADIO_H

#include "board.h"

typedef void (*radio_capture_cbt)(PORT_TIMER_WIDTH timestamp);

void radio_init(void);
void radio_setStartFrameCb(radio_capture_cbt cb);
void radio_setEndFrameCb(radio_capture_cbt cb);
void radio_rfOff(void);
void radio_loadPacket(uint8_t *packet, uint16_t len);
void radio_txEnable(void);
void radio_txNow(void);
void radio_rxEnable(void);
void radio_getReceivedFrame(uint8_t *bufRead, uint8_t *lenRead, uint8_t maxBufLen, int8_t *rssi, uint8_t *lqi, bool *crc);
kick_scheduler_t radio_isr(void);

#endif
