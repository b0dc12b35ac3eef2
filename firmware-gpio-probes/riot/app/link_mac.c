/** Frames through GNRC's network interface: no IPv6, no 6LoWPAN in the image. */
#include "link.h"

#include <string.h>

#include "link_gnrc.h"
#include "net/gnrc/netif/hdr.h"
#include "net/gnrc/netreg.h"
#include "net/gnrc/pktbuf.h"
#include "thread.h"
#include "ztimer.h"

#define QUEUE 8u

static msg_t queues[2][QUEUE];
static gnrc_netreg_entry_t readers[2];

bool link_init(void)
{
    return gnrc_netif_iter(NULL) != NULL;
}

void link_open(enum link_end end)
{
    static bool has_queue[2];

    if (!has_queue[end]) { /* each end is read by the same thread for ever */
        msg_init_queue(queues[end], QUEUE);
        has_queue[end] = true;
    }
    readers[end] = (gnrc_netreg_entry_t)GNRC_NETREG_ENTRY_INIT_PID(GNRC_NETREG_DEMUX_CTX_ALL, thread_getpid());
    gnrc_netreg_register(GNRC_NETTYPE_UNDEF, &readers[end]);
}

void link_close(enum link_end end)
{
    msg_t message;

    gnrc_netreg_unregister(GNRC_NETTYPE_UNDEF, &readers[end]);
    while (msg_try_receive(&message) == 1) {
        if (message.type == GNRC_NETAPI_MSG_TYPE_RCV) {
            gnrc_pktbuf_release(message.content.ptr);
        }
    }
}

bool link_send(uint16_t to, const uint8_t *payload, uint16_t length)
{
    const uint8_t address[2] = { (uint8_t)(to >> 8), (uint8_t)to };
    gnrc_pktsnip_t *packet = gnrc_pktbuf_add(NULL, payload, length, GNRC_NETTYPE_UNDEF);
    gnrc_pktsnip_t *header;

    if (packet == NULL) {
        return false;
    }
    header = gnrc_netif_hdr_build(NULL, 0, address, to == LINK_BROADCAST ? 0 : sizeof address);
    if (header == NULL) {
        gnrc_pktbuf_release(packet);
        return false;
    }
    if (to == LINK_BROADCAST) {
        ((gnrc_netif_hdr_t *)header->data)->flags |= GNRC_NETIF_HDR_FLAGS_BROADCAST;
    }
    packet = gnrc_pkt_prepend(packet, header);
    if (gnrc_netif_send(gnrc_netif_iter(NULL), packet) < 1) {
        gnrc_pktbuf_release(packet);
        return false;
    }
    return true;
}

/** Copies a received packet: its payload first, then the interface's header, which has the sender. */
static uint16_t take(gnrc_pktsnip_t *packet, uint8_t *payload, uint16_t size, uint16_t *from)
{
    uint16_t length = packet->size < size ? (uint16_t)packet->size : size;

    memcpy(payload, packet->data, length);
    *from = 0;
    for (const gnrc_pktsnip_t *snip = packet->next; snip != NULL; snip = snip->next) {
        const gnrc_netif_hdr_t *header = snip->data;

        if (snip->type == GNRC_NETTYPE_NETIF && header->src_l2addr_len == 2) {
            const uint8_t *source = gnrc_netif_hdr_get_src_addr(header);

            *from = (uint16_t)(source[0] << 8 | source[1]);
        }
    }
    gnrc_pktbuf_release(packet);
    return length;
}

/* Both ends get every packet; its kind says whose it is. */
uint16_t link_receive(enum link_end end, uint8_t *payload, uint16_t size, uint32_t timeout_us, uint16_t *from)
{
    uint32_t since_us = ztimer_now(ZTIMER_USEC);
    msg_t message;

    for (;;) {
        uint32_t waited_us = ztimer_now(ZTIMER_USEC) - since_us;
        uint16_t length;

        if (timeout_us == LINK_FOREVER) {
            msg_receive(&message);
        } else if (waited_us >= timeout_us ||
                   ztimer_msg_receive_timeout(ZTIMER_USEC, &message, timeout_us - waited_us) < 0) {
            return 0;
        }
        if (message.type != GNRC_NETAPI_MSG_TYPE_RCV) {
            continue;
        }
        length = take(message.content.ptr, payload, size, from);
        if (length > 0 && link_end_of(payload[0]) == end) {
            return length;
        }
    }
}

bool link_configure(void)
{
    return interface_configure();
}
