/** A network interface's thread: events first, then messages (RIOT: sys/net/gnrc/netif/gnrc_netif.c). */
#include <string.h>

#include "net/gnrc/netif.h"
#include "net/gnrc/pktbuf.h"
#include "net/ieee802154.h"
#include "standin.h"

gnrc_netif_t netif;

int gnrc_netif_send(gnrc_netif_t *to, gnrc_pktsnip_t *pkt)
{
    return _gnrc_netapi_send_recv(to->pid, pkt, GNRC_NETAPI_MSG_TYPE_SND);
}

static void received(void)
{
    gnrc_pktsnip_t *pkt = netif.ops->recv(&netif);

    gnrc_netapi_dispatch(GNRC_NETTYPE_SIXLOWPAN, 0, GNRC_NETAPI_MSG_TYPE_RCV, pkt);
}

static void happened(netdev_t *dev, netdev_event_t event)
{
    (void)dev;
    if (event == NETDEV_EVENT_ISR) {
        event_post(&netif.evq[0], &netif.event_isr);
    } else if (event == NETDEV_EVENT_RX_COMPLETE) {
        received();
    }
}

static void bottom_half(event_t *event)
{
    (void)event;
    netif.dev->driver->isr(netif.dev);
}

static void *run(void *arg)
{
    (void)arg;
    netif.evq[0].waiter = thread_get_active();
    netif.event_isr.handler = bottom_half;
    netif.ops->init(&netif);
    for (;;) {
        event_t *event;
        msg_t msg;

        thread_flags_wait_any(THREAD_FLAG_EVENT | THREAD_FLAG_MSG_WAITING);
        while ((event = event_get(&netif.evq[0])) != NULL) {
            event->handler(event);
        }
        while (msg_try_receive(&msg) == 1) {
            if (msg.type == GNRC_NETAPI_MSG_TYPE_SND) {
                netif.ops->send(&netif, msg.content.ptr);
            }
        }
    }
    return NULL;
}

int gnrc_netif_create(gnrc_netif_t *created, char *stack, int stacksize, char priority, const char *name, netdev_t *dev,
                      const gnrc_netif_ops_t *ops)
{
    created->dev = dev;
    created->ops = ops;
    created->pid = thread_create(stack, stacksize, (uint8_t)priority, 0, run, NULL, name);
    return 0;
}

/* The operations of an IEEE 802.15.4 interface. */

static int init(gnrc_netif_t *of)
{
    of->dev->event_callback = happened;
    return of->dev->driver->init(of->dev);
}

static int send(gnrc_netif_t *of, gnrc_pktsnip_t *pkt)
{
    static uint8_t sequence = 0x40;
    uint8_t header[IEEE802154_MAX_HDR_LEN];
    const le_uint16_t pan = { .u8 = { 0x70, 0x67 } };
    iolist_t list = { .iol_next = (iolist_t *)pkt, .iol_base = header };

    list.iol_len = ieee802154_set_frame_hdr(header, (uint8_t[]){ 1, 0 }, 2, (uint8_t[]){ 2, 0 }, 2, pan, pan,
                                            IEEE802154_FCF_TYPE_DATA | IEEE802154_FCF_ACK_REQ, sequence++);
    of->dev->driver->send(of->dev, &list);
    gnrc_pktbuf_release(pkt);
    return 0;
}

static gnrc_pktsnip_t *recv(gnrc_netif_t *of)
{
    int length = of->dev->driver->recv(of->dev, NULL, 0, NULL);
    gnrc_pktsnip_t *pkt = gnrc_pktbuf_add(NULL, NULL, (size_t)length, GNRC_NETTYPE_SIXLOWPAN);

    of->dev->driver->recv(of->dev, pkt->data, pkt->size, NULL);
    pkt->data = (uint8_t *)pkt->data + 9; /* the MAC header */
    pkt->size -= 9;
    return pkt;
}

const gnrc_netif_ops_t ieee802154_ops = { .init = init, .send = send, .recv = recv };
