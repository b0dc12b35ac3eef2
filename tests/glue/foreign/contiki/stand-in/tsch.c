/**
 * Stand-in for os/net/mac/tsch: the struct, and slots in which the debug macros stand where tsch-slot-operation.c has them. A
 * slot per tick of the clock: what is queued is sent in it and acknowledged; without, every fourth listens in vain; a frame
 * that came back is received in the next one.
 */
#include "net/mac/tsch/tsch.h"
#include "net/netstack.h"
#include "net/packetbuf.h"
#include "sys/rtimer.h"

#include <string.h>

#define HEADER 23
#define FIRST_SLOT 0x1fff0u /* so that the low 16 bits run over */

struct tsch_asn_t tsch_current_asn;
int tsch_is_associated;

static struct {
    mac_callback_t sent;
    void *ptr;
    uint8_t frame[PACKETBUF_SIZE];
    uint16_t length;
} queued;
static uint8_t number;
static bool pending;

PROCESS(tsch_process, "TSCH");

void tsch_set_coordinator(int enable)
{
    tsch_current_asn.ls4b = FIRST_SLOT;
    tsch_is_associated = enable;
    TSCH_DEBUG_INIT();
}

static void init(void)
{
    process_start(&tsch_process, NULL);
}

static void send_packet(mac_callback_t sent, void *ptr)
{
    static const uint8_t control[] = {0x61, 0xdc};

    queued.sent = sent;
    queued.ptr = ptr;
    memcpy(queued.frame, control, sizeof control);
    queued.frame[2] = ++number;
    memcpy(&queued.frame[HEADER], packetbuf_dataptr(), packetbuf_datalen());
    queued.length = (uint16_t)(HEADER + packetbuf_datalen());
}

static void tx_slot(void)
{
    TSCH_DEBUG_TX_EVENT(); /* begin */
    NETSTACK_RADIO.prepare(queued.frame, queued.length);
    TSCH_DEBUG_INTERRUPT(); /* yields until it is time */
    TSCH_DEBUG_TX_EVENT();  /* before transmit */
    NETSTACK_RADIO.transmit(queued.length);
    TSCH_DEBUG_INTERRUPT();
    TSCH_DEBUG_TX_EVENT(); /* listening for the acknowledgement */
    NETSTACK_RADIO.on();
    TSCH_DEBUG_TX_EVENT(); /* it began */
    TSCH_DEBUG_TX_EVENT(); /* it ended */
    NETSTACK_RADIO.off();
    TSCH_DEBUG_TX_EVENT(); /* end */
    pending = true;
    process_poll(&tsch_process);
}

static void rx_slot(void)
{
    TSCH_DEBUG_RX_EVENT(); /* begin */
    TSCH_DEBUG_INTERRUPT();
    TSCH_DEBUG_RX_EVENT(); /* listening */
    NETSTACK_RADIO.on();
    if (NETSTACK_RADIO.pending_packet()) {
        TSCH_DEBUG_RX_EVENT(); /* a frame began */
        packetbuf_clear();
        packetbuf_set_datalen((uint16_t)NETSTACK_RADIO.read(packetbuf_dataptr(), PACKETBUF_SIZE));
        TSCH_DEBUG_RX_EVENT(); /* it ended */
        process_poll(&tsch_process);
    }
    NETSTACK_RADIO.off();
    TSCH_DEBUG_RX_EVENT(); /* end */
}

/** In place of the rtimer's interrupt: rtimer_run_next() calls it. */
void tsch_slot(void);
void tsch_slot(void)
{
    if (!tsch_is_associated) {
        return;
    }
    tsch_current_asn.ls4b++;
    TSCH_DEBUG_INTERRUPT();
    TSCH_DEBUG_SLOT_START();
    if (queued.length > 0 && !pending) {
        tx_slot();
    } else if (NETSTACK_RADIO.pending_packet() || tsch_current_asn.ls4b % 4 == 0) {
        rx_slot();
    }
    TSCH_DEBUG_SLOT_END();
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
    return 1;
}

static int max_payload(void)
{
    return PACKETBUF_SIZE - HEADER;
}

const struct mac_driver tschmac_driver = {"TSCH", init, send_packet, input, on, on, max_payload};

PROCESS_THREAD(tsch_process, ev, data)
{
    PROCESS_BEGIN();
    for (;;) {
        PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_POLL);
        if (pending) {
            pending = false;
            queued.length = 0;
            packetbuf_set_datalen(0);
            mac_call_sent_callback(queued.sent, queued.ptr, MAC_TX_OK, 1);
        } else if (packetbuf_datalen() > HEADER) {
            input(); /* a static function, as in tsch.c */
        }
    }
    PROCESS_END();
}
