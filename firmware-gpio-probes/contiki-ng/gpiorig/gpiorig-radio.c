/**
 * The radio driver, in place of the target's struct: prepare is driver.load, transmit driver.exec (until the frame is out),
 * send driver.tx, read driver.rx_read. mac.sequence follows the load and the read: the number links packet and frame.
 */
#include "gpiorig-contiki.h"

#ifndef GPIORIG_OFF

#include "dev/radio.h"

extern const struct radio_driver GPIORIG_REAL(GPIORIG_RADIO);
extern const struct radio_driver GPIORIG_WRAP(GPIORIG_RADIO);
#define RADIO GPIORIG_REAL(GPIORIG_RADIO)

static uint16_t loaded; /* id of the frame that is in the radio */

/** The frame's number, unless it has none (frame control field, bit 8: IEEE 802.15.4-2015 7.2.1.6). */
static void tell_sequence(const void *frame, uint16_t length)
{
    const uint8_t *bytes = frame;

    if (length >= 3 && (bytes[1] & 1u) == 0) {
        GPIORIG_EVENT_ID(MAC_SEQUENCE, bytes[2]);
    }
}

static int radio_init(void)
{
    return RADIO.init();
}

static int radio_prepare(const void *frame, unsigned short length)
{
    int result;

    loaded = gpiorig_tail(frame, length);
    GPIORIG_ENTER_ID(DRIVER_LOAD, loaded);
    result = RADIO.prepare(frame, length);
    GPIORIG_EXIT_ID(DRIVER_LOAD, loaded);
    tell_sequence(frame, length);
    return result;
}

static int radio_transmit(unsigned short length)
{
    int result;

    GPIORIG_ENTER_ID(DRIVER_EXEC, loaded);
    result = RADIO.transmit(length);
    GPIORIG_EXIT_ID(DRIVER_EXEC, loaded);
    return result;
}

static int radio_send(const void *frame, unsigned short length)
{
    uint16_t id = gpiorig_tail(frame, length);
    int result;

    GPIORIG_ENTER_ID(DRIVER_TX, id);
    result = RADIO.send(frame, length);
    GPIORIG_EXIT_ID(DRIVER_TX, id);
    tell_sequence(frame, length);
    return result;
}

/** The MAC also reads acknowledgements, and when there may be nothing: then the span has no id. */
static int radio_read(void *frame, unsigned short room)
{
    int length;
    uint16_t id;

    GPIORIG_ENTER(DRIVER_RX_READ);
    length = RADIO.read(frame, room);
    id = length > 0 ? gpiorig_tail(frame, (uint16_t)length) : 0;
    if (id != 0) {
        GPIORIG_EXIT_ID(DRIVER_RX_READ, id);
    } else {
        GPIORIG_EXIT(DRIVER_RX_READ);
    }
    if (length > 0) {
        tell_sequence(frame, (uint16_t)length);
    }
    return length;
}

/** TSCH asks in a loop until its time is over: no event then. */
static int radio_channel_clear(void)
{
#if !MAC_CONF_WITH_TSCH
    GPIORIG_EVENT(RADIO_CCA);
#endif
    return RADIO.channel_clear();
}

/* Asked in loops: no events. */

static int radio_receiving_packet(void)
{
    return RADIO.receiving_packet();
}

static int radio_pending_packet(void)
{
    return RADIO.pending_packet();
}

static int radio_on(void)
{
    GPIORIG_EVENT(RADIO_SET_RX);
    return RADIO.on();
}

static int radio_off(void)
{
    GPIORIG_EVENT(RADIO_SET_IDLE);
    return RADIO.off();
}

static radio_result_t radio_get_value(radio_param_t parameter, radio_value_t *value)
{
    return RADIO.get_value(parameter, value);
}

static radio_result_t radio_set_value(radio_param_t parameter, radio_value_t value)
{
    return RADIO.set_value(parameter, value);
}

static radio_result_t radio_get_object(radio_param_t parameter, void *object, size_t size)
{
    return RADIO.get_object(parameter, object, size);
}

static radio_result_t radio_set_object(radio_param_t parameter, const void *object, size_t size)
{
    return RADIO.set_object(parameter, object, size);
}

const struct radio_driver GPIORIG_WRAP(GPIORIG_RADIO) = {
    .init = radio_init,
    .prepare = radio_prepare,
    .transmit = radio_transmit,
    .send = radio_send,
    .read = radio_read,
    .channel_clear = radio_channel_clear,
    .receiving_packet = radio_receiving_packet,
    .pending_packet = radio_pending_packet,
    .on = radio_on,
    .off = radio_off,
    .get_value = radio_get_value,
    .set_value = radio_set_value,
    .get_object = radio_get_object,
    .set_object = radio_set_object,
};

#endif
