/*
 * Stand-in for openstack/02a-MAClow/IEEE802154E.c: what a slot calls of other files, in its order. Six slots in turn: one
 * without the radio, one that sends and gets no acknowledgement, one that sends and gets it, one that listens in vain, one that
 * receives and acknowledges, one that receives a frame with a wrong checksum.
 */
#include "IEEE802154E.h"

#include "debugpins.h"
#include "leds.h"
#include "radio.h"
#include "schedule.h"
#include "scheduler.h"

#define SLOTFRAME_LENGTH 6u
#define FIRST_SLOT 0x1fffeu /* so that the low 16 bits run over; the first of a slotframe */
#define DATA_BYTES 11u

static uint32_t asn = FIRST_SLOT - 1;
static uint8_t number;
static enum state { SLEEPING, SENDING, AWAITING, RECEIVING, ACKNOWLEDGING } state;

uint16_t schedule_getFrameLength(void)
{
    return SLOTFRAME_LENGTH;
}

void ieee154e_getAsn(uint8_t *array)
{
    array[0] = (uint8_t)asn;
    array[1] = (uint8_t)(asn >> 8);
    array[2] = (uint8_t)(asn >> 16);
    array[3] = (uint8_t)(asn >> 24);
    array[4] = 0;
}

static void task_sixtopNotifSendDone(void)
{
}

static void task_sixtopNotifReceive(void)
{
}

static void task_timer(void)
{
}

static void task_openserial(void)
{
    scheduler_push_task(task_timer, TASKPRIO_OPENTIMERS);
}

static void changeState(enum state newstate)
{
    state = newstate;
    switch (state) {
    case SENDING:
        debugpins_fsm_set();
        break;
    case SLEEPING:
    case RECEIVING:
        debugpins_fsm_clr();
        break;
    default:
        debugpins_fsm_toggle();
        break;
    }
}

static void endSlot(void)
{
    radio_rfOff();
    changeState(SLEEPING);
}

static void send(uint8_t control, uint16_t length)
{
    uint8_t frame[DATA_BYTES] = {control, 0xa8, number, 1, 2, 3, 4, 0x5a, number, 0, 0};

    radio_loadPacket(frame, length);
    radio_txEnable();
    radio_txNow();
}

/** Called by the radio, or in txNow() where it has no interrupt of it. */
static void ieee154e_startOfFrame(PORT_TIMER_WIDTH capturedTime)
{
    (void)capturedTime;
    debugpins_fsm_toggle();
}

static void ieee154e_endOfFrame(PORT_TIMER_WIDTH capturedTime)
{
    uint8_t frame[128], length, lqi;
    int8_t rssi;
    bool crc;

    (void)capturedTime;
    radio_rfOff();
    switch (state) {
    case SENDING:
        changeState(AWAITING);
        radio_rxEnable();
        break;
    case AWAITING:
        radio_getReceivedFrame(frame, &length, sizeof frame, &rssi, &lqi, &crc);
        scheduler_push_task(task_sixtopNotifSendDone, TASKPRIO_SIXTOP_NOTIF_TXDONE);
        endSlot();
        break;
    case RECEIVING:
        radio_getReceivedFrame(frame, &length, sizeof frame, &rssi, &lqi, &crc);
        if (crc) {
            changeState(ACKNOWLEDGING);
            send(0x02, 5);
            break;
        }
        endSlot();
        break;
    default:
        scheduler_push_task(task_sixtopNotifReceive, TASKPRIO_SIXTOP_NOTIF_RX);
        endSlot();
        break;
    }
}

void ieee154e_init(void)
{
    leds_sync_off();
    radio_setStartFrameCb(ieee154e_startOfFrame);
    radio_setEndFrameCb(ieee154e_endOfFrame);
    leds_sync_on();
}

/** From the timer's interrupt. A slot that waited for a frame in vain ends first: its timer, in OpenWSN. */
void isr_ieee154e_newSlot(void)
{
    if (state != SLEEPING) {
        endSlot();
    }
    asn++;
    debugpins_slot_toggle();
    if (asn % SLOTFRAME_LENGTH == 0) {
        debugpins_frame_toggle();
    }
    switch (asn % SLOTFRAME_LENGTH) {
    case 0:
        scheduler_push_task(task_openserial, TASKPRIO_OPENSERIAL);
        scheduler_push_task(task_timer, TASKPRIO_OPENTIMERS);
        endSlot();
        break;
    case 1:
    case 2:
        number++;
        changeState(SENDING);
        send(0x21, DATA_BYTES);
        break;
    default:
        changeState(RECEIVING);
        radio_rxEnable();
        break;
    }
#ifdef OVERFLOW
    for (unsigned pushes = 0; asn == FIRST_SLOT + 4 && pushes <= TASK_LIST_DEPTH; pushes++) {
        scheduler_push_task(task_timer, TASKPRIO_OPENTIMERS);
    }
#endif
}
