/*
 * Stand-in for bsp/chips/at86rf231/radio.c: no radio. Its interrupts are pended by hand: the end of what is sent, the start and
 * the end of what is received.
 */
#include "radio.h"

#include "interrupts.h"
#include "leds.h"

#include <string.h>

static const uint8_t data[] = {0x21, 0xa8, 0x77, 1, 2, 3, 4, 0x6b, 0x01, 0, 0}, acknowledgement[] = {0x02, 0xa8, 0x09, 0, 0};
static radio_capture_cbt started, ended;
static enum { IDLE, SENDS, LISTENS, HEARS } state;

/* What is heard each time that it listens, in turn. */
static const enum { NOTHING, ACKNOWLEDGEMENT, DATA, DAMAGED } rounds[] = {NOTHING, ACKNOWLEDGEMENT, NOTHING, DATA, DAMAGED};
static unsigned next, heard;

void radio_init(void)
{
}

void radio_setStartFrameCb(radio_capture_cbt cb)
{
    started = cb;
}

void radio_setEndFrameCb(radio_capture_cbt cb)
{
    ended = cb;
}

void radio_rfOff(void)
{
    leds_radio_off();
    state = IDLE;
}

void radio_loadPacket(uint8_t *packet, uint16_t len)
{
    (void)packet;
    (void)len;
}

void radio_txEnable(void)
{
    leds_radio_on();
}

void radio_txNow(void)
{
    state = SENDS;
    started(0);
    pend(RADIO_IRQ);
}

void radio_rxEnable(void)
{
    heard = rounds[next++ % (sizeof rounds / sizeof rounds[0])];
    leds_radio_on();
    state = LISTENS;
    if (heard != NOTHING) {
        pend(RADIO_IRQ);
    }
}

void radio_getReceivedFrame(uint8_t *bufRead, uint8_t *lenRead, uint8_t maxBufLen, int8_t *rssi, uint8_t *lqi, uint8_t *crc)
{
    (void)maxBufLen;
    *lenRead = heard == ACKNOWLEDGEMENT ? sizeof acknowledgement : sizeof data;
    memcpy(bufRead, heard == ACKNOWLEDGEMENT ? acknowledgement : data, *lenRead);
    *rssi = -50;
    *lqi = 255;
    *crc = heard != DAMAGED;
}

kick_scheduler_t radio_isr(void)
{
    if (state == LISTENS) {
        state = HEARS;
        started(0);
        pend(RADIO_IRQ);
    } else if (state == SENDS || state == HEARS) {
        state = IDLE;
        ended(0);
    }
    return KICK_SCHEDULER;
}
