/**
 * Stand-in for arch/dev/radio/cc2420/cc2420.c: its struct, its process, its interrupt. What it sends comes back to it as the
 * other node's reply. As the real ones, its process reads the frame by a static function, not through the struct.
 */
#include "net/netstack.h"
#include "net/packetbuf.h"

#include <string.h>

#include "arch.h"

static uint8_t frame[PACKETBUF_SIZE], received[PACKETBUF_SIZE];
static unsigned short loaded, arrived;
static bool answered; /* what is sent next is an answer, and does not come back */
static radio_value_t channel = 26;

int STAND_IN_RADIO_ISR(void);

PROCESS(cc2420_process, "CC2420 driver");

static int init(void)
{
    process_start(&cc2420_process, NULL);
    return 1;
}

static int prepare(const void *payload, unsigned short length)
{
    memcpy(frame, payload, length);
    loaded = length;
    return 0;
}

static void arrive(void)
{
    memcpy(received, frame, loaded);
    arrived = loaded;
    arch_radio_interrupt();
}

void radio_again(void)
{
    answered = true;
    arrive();
}

static int transmit(unsigned short length)
{
    for (volatile unsigned wait = 0; wait < 100; wait++) {
    }
    if (!answered) {
        arrive();
    }
    answered = false;
    return loaded == length ? RADIO_TX_OK : RADIO_TX_ERR;
}

static int send(const void *payload, unsigned short length)
{
    prepare(payload, length);
    return transmit(length);
}

/** With room for no more than an acknowledgement, that of the frame sent last. */
static int read_frame(void *buffer, unsigned short room)
{
    const uint8_t acknowledgement[] = {0x02, 0x00, frame[2]};
    unsigned short length = arrived;

    if (room == sizeof acknowledgement) {
        memcpy(buffer, acknowledgement, room);
        return room;
    }
    if (length > room) {
        return 0;
    }
    memcpy(buffer, received, length);
    arrived = 0;
    return length;
}

static int no(void)
{
    return 0;
}

static int yes(void)
{
    return 1;
}

static int pending(void)
{
    return arrived > 0;
}

static radio_result_t get_value(radio_param_t parameter, radio_value_t *value)
{
    *value = channel;
    return parameter == RADIO_PARAM_CHANNEL ? RADIO_RESULT_OK : RADIO_RESULT_NOT_SUPPORTED;
}

static radio_result_t set_value(radio_param_t parameter, radio_value_t value)
{
    if (parameter != RADIO_PARAM_CHANNEL) {
        return RADIO_RESULT_NOT_SUPPORTED;
    }
    channel = value;
    return RADIO_RESULT_OK;
}

static radio_result_t get_object(radio_param_t parameter, void *object, size_t size)
{
    (void)parameter;
    (void)object;
    (void)size;
    return RADIO_RESULT_NOT_SUPPORTED;
}

static radio_result_t set_object(radio_param_t parameter, const void *object, size_t size)
{
    return get_object(parameter, (void *)object, size);
}

const struct radio_driver NETSTACK_CONF_RADIO = {
    init, prepare, transmit, send, read_frame, yes, no, pending, yes, yes, get_value, set_value, get_object, set_object,
};

int STAND_IN_RADIO_ISR(void)
{
#if !MAC_CONF_WITH_TSCH /* which polls the radio itself */
    process_poll(&cc2420_process);
#endif
    return 1;
}

PROCESS_THREAD(cc2420_process, ev, data)
{
    PROCESS_BEGIN();
    for (;;) {
        PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_POLL);
        packetbuf_clear();
        packetbuf_set_datalen((uint16_t)read_frame(packetbuf_dataptr(), PACKETBUF_SIZE));
        NETSTACK_MAC.input();
    }
    PROCESS_END();
}
