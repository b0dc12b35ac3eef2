/** Stand-in for os/net/mac/csma: the struct; what is sent waits for a process, as it does for a timer there. */
#include "net/netstack.h"
#include "net/packetbuf.h"

#include <string.h>

#define HEADER 23 /* frame control, number, PAN, two long addresses: IEEE 802.15.4-2015 7.3 */

static struct {
    mac_callback_t sent;
    void *ptr;
    uint8_t frame[PACKETBUF_SIZE];
    uint16_t length;
} queued;
static uint8_t number;

PROCESS(csma_process, "CSMA");

static void init(void)
{
    process_start(&csma_process, NULL);
    NETSTACK_RADIO.on();
}

static void send_packet(mac_callback_t sent, void *ptr)
{
    static const uint8_t control[] = {0x61, 0xdc}; /* data, acknowledgement asked, long addresses */

    queued.sent = sent;
    queued.ptr = ptr;
    memcpy(queued.frame, control, sizeof control);
    queued.frame[2] = ++number;
    memset(&queued.frame[3], 0, HEADER - 3);
    memcpy(&queued.frame[HEADER], packetbuf_dataptr(), packetbuf_datalen());
    queued.length = (uint16_t)(HEADER + packetbuf_datalen());
    process_poll(&csma_process);
}

static void transmit(void)
{
    uint8_t acknowledgement[3]; /* IEEE 802.15.4-2006 7.2.2.3, without FCS */
    int result;

    NETSTACK_RADIO.prepare(queued.frame, queued.length);
    result = NETSTACK_RADIO.receiving_packet() ? RADIO_TX_COLLISION : NETSTACK_RADIO.transmit(queued.length);
    if (result == RADIO_TX_OK) { /* csma-output.c reads it through the struct */
        NETSTACK_RADIO.read(acknowledgement, sizeof acknowledgement);
    }
    packetbuf_clear();
    memcpy(packetbuf_dataptr(), &queued.frame[HEADER], queued.length - HEADER);
    packetbuf_set_datalen((uint16_t)(queued.length - HEADER));
    mac_call_sent_callback(queued.sent, queued.ptr, result == RADIO_TX_OK ? MAC_TX_OK : MAC_TX_COLLISION, 1);
}

static void input(void)
{
    uint8_t *frame = packetbuf_dataptr();

    for (unsigned at = 0; at + HEADER < packetbuf_datalen(); at++) {
        frame[at] = frame[at + HEADER];
    }
    packetbuf_set_datalen((uint16_t)(packetbuf_datalen() - HEADER));
    NETSTACK_NETWORK.input();
}

static int on(void)
{
    return NETSTACK_RADIO.on();
}

static int off(void)
{
    return NETSTACK_RADIO.off();
}

static int max_payload(void)
{
    return PACKETBUF_SIZE - HEADER;
}

const struct mac_driver csma_driver = {"CSMA", init, send_packet, input, on, off, max_payload};

PROCESS_THREAD(csma_process, ev, data)
{
    PROCESS_BEGIN();
    for (;;) {
        PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_POLL);
        transmit();
    }
    PROCESS_END();
}
