/**
 * The radio of the board. slot.tx and slot.rx are that part of a slot in which the radio is on for it, from its being
 * switched on to its being switched off; a node that looks for a network receives outside of slots. The frame
 * timestamp line stays low: the driver gives DIG2 of the AT86RF231 to the antenna switch (ANT_DIV, doc. 8111C 11.4).
 */
#include "gpiorig_openwsn.h"

#include "radio.h"

#define CRC_BYTES 2u
/* Frame control field, IEEE 802.15.4-2015 7.2.1: type in bits 0 to 2 (2 is an acknowledgement), AR bit 5, and bit 8: no number. */
#define IS_ACKNOWLEDGED 0x20u
#define HAS_NO_NUMBER 0x01u

GPIORIG_WRAPS(radio_setStartFrameCb);
GPIORIG_WRAPS(radio_setEndFrameCb);
GPIORIG_WRAPS(radio_rfOff);
GPIORIG_WRAPS(radio_loadPacket);
GPIORIG_WRAPS(radio_txEnable);
GPIORIG_WRAPS(radio_txNow);
GPIORIG_WRAPS(radio_rxEnable);
GPIORIG_WRAPS(radio_getReceivedFrame);

static radio_capture_cbt began, ended;
static enum { OFF, SENDING, RECEIVING } part;

static struct {
    uint16_t id;
    bool is_acknowledged; /* it asks for it */
} loaded;
static bool is_waiting; /* the frame is out, its acknowledgement is not here */

/** The last two bytes of the payload, big endian; 0 for what is too short to have them. */
static uint16_t id_of(const uint8_t *frame, uint16_t length)
{
    const uint8_t *end = frame + length - CRC_BYTES;

    return length < 5 + CRC_BYTES ? 0 : (uint16_t)((uint16_t)end[-2] << 8 | end[-1]);
}

static void tell_sequence(const uint8_t *frame, uint16_t length)
{
    if (length >= 3 && (frame[1] & HAS_NO_NUMBER) == 0) {
        GPIORIG_EVENT_ID(MAC_SEQUENCE, frame[2]);
    }
}

static void leave_part(void)
{
    if (part == SENDING) {
        GPIORIG_EXIT(SLOT_TX);
    } else if (part == RECEIVING) {
        GPIORIG_EXIT(SLOT_RX);
    }
    part = OFF;
}

static void frame_began(PORT_TIMER_WIDTH at)
{
    if (part == SENDING) {
        GPIORIG_EVENT_ID(RADIO_TX_START, loaded.id);
    } else {
        GPIORIG_EVENT(RADIO_RX_START);
    }
    began(at);
}

static void frame_ended(PORT_TIMER_WIDTH at)
{
    if (part != SENDING) {
        GPIORIG_EVENT(RADIO_RX_COMPLETE);
    } else if (loaded.is_acknowledged) {
        GPIORIG_EVENT_ID(DRIVER_CONFIRM, loaded.id);
        is_waiting = true;
    } else {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, loaded.id);
    }
    ended(at);
}

void gpiorig_radio_slot_over(void)
{
    if (is_waiting) {
        is_waiting = false;
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, loaded.id);
    }
}

void __wrap_radio_setStartFrameCb(radio_capture_cbt callback)
{
    began = callback;
    __real_radio_setStartFrameCb(frame_began);
}

void __wrap_radio_setEndFrameCb(radio_capture_cbt callback)
{
    ended = callback;
    __real_radio_setEndFrameCb(frame_ended);
}

/** Called without need as well: at the end of every slot. */
void __wrap_radio_rfOff(void)
{
    __real_radio_rfOff();
    gpiorig_slot_radio_off();
    if (part != OFF) {
        leave_part();
        GPIORIG_EVENT(RADIO_SET_IDLE);
    }
}

void __wrap_radio_loadPacket(uint8_t *frame, uint16_t length)
{
    loaded.id = id_of(frame, length);
    loaded.is_acknowledged = length > 0 && (frame[0] & IS_ACKNOWLEDGED) != 0;
    GPIORIG_ENTER_ID(DRIVER_LOAD, loaded.id);
    __real_radio_loadPacket(frame, length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, loaded.id);
    tell_sequence(frame, length);
}

void __wrap_radio_txEnable(void)
{
    leave_part();
    part = SENDING;
    GPIORIG_ENTER(SLOT_TX);
    GPIORIG_ENTER_ID(DRIVER_PREPARE, loaded.id);
    __real_radio_txEnable();
    GPIORIG_EXIT_ID(DRIVER_PREPARE, loaded.id);
}

/** The edge of SLP_TR, and what the MAC does at the start of a frame: this radio has no interrupt of it. */
void __wrap_radio_txNow(void)
{
    GPIORIG_ENTER_ID(DRIVER_EXEC, loaded.id);
    __real_radio_txNow();
    GPIORIG_EXIT_ID(DRIVER_EXEC, loaded.id);
}

void __wrap_radio_rxEnable(void)
{
    if (part != RECEIVING) {
        leave_part();
        part = RECEIVING;
        GPIORIG_ENTER(SLOT_RX);
        GPIORIG_EVENT(RADIO_SET_RX);
    }
    __real_radio_rxEnable();
}

void __wrap_radio_getReceivedFrame(uint8_t *frame, uint8_t *length, uint8_t room, int8_t *rssi, uint8_t *lqi, bool *is_intact)
{
    GPIORIG_ENTER(DRIVER_RX_READ);
    __real_radio_getReceivedFrame(frame, length, room, rssi, lqi, is_intact);
    if (!*is_intact || *length <= CRC_BYTES) {
        GPIORIG_EXIT(DRIVER_RX_READ);
        GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
        return;
    }
    GPIORIG_EXIT_ID(DRIVER_RX_READ, id_of(frame, *length));
    tell_sequence(frame, *length);
    if (is_waiting) {
        is_waiting = false;
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, loaded.id);
    }
}
