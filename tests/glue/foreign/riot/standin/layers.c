/** The threads of UDP, IPv6 and 6LoWPAN. */
#include "net/gnrc/ipv6/hdr.h"
#include "net/gnrc/ipv6/nib.h"
#include "net/gnrc/netapi.h"
#include "net/gnrc/sixlowpan/frag.h"
#include "net/gnrc/sixlowpan/iphc.h"
#include "net/gnrc/udp.h"
#include "standin.h"

kernel_pid_t udp_pid, ipv6_pid, sixlowpan_pid;
static char stacks[3][768] __attribute__((aligned(8)));

/* The first `size` bytes are dealt with. */
static void strip(gnrc_pktsnip_t *pkt, size_t size, gnrc_nettype_t type)
{
    pkt->data = (uint8_t *)pkt->data + size;
    pkt->size -= size;
    pkt->type = type;
}

static void *udp(void *arg)
{
    msg_t msg;

    for (;;) {
        gnrc_pktsnip_t *pkt;

        (void)arg;
        msg_receive(&msg);
        pkt = msg.content.ptr;
        if (msg.type == GNRC_NETAPI_MSG_TYPE_SND) {
            gnrc_netapi_dispatch(GNRC_NETTYPE_IPV6, 0, msg.type, pkt);
        } else if (msg.type == GNRC_NETAPI_MSG_TYPE_RCV) {
            strip(pkt, 8, GNRC_NETTYPE_UNDEF);
            gnrc_netapi_dispatch(GNRC_NETTYPE_UDP, PORT, msg.type, pkt);
        }
    }
    return NULL;
}

static void *ipv6(void *arg)
{
    msg_t msg;

    for (;;) {
        gnrc_ipv6_nib_nc_t neighbour;
        gnrc_pktsnip_t *pkt;

        (void)arg;
        msg_receive(&msg);
        pkt = msg.content.ptr;
        if (msg.type == GNRC_NETAPI_MSG_TYPE_SND) {
            gnrc_ipv6_nib_get_next_hop_l2addr(pkt->data, &netif, pkt, &neighbour);
            gnrc_udp_calc_csum(pkt->next, pkt);
            gnrc_netapi_dispatch(GNRC_NETTYPE_SIXLOWPAN, 0, msg.type, pkt);
        } else if (msg.type == GNRC_NETAPI_MSG_TYPE_RCV) {
            size_t length = ((uint8_t *)pkt->data)[5];

            strip(pkt, 40, GNRC_NETTYPE_UDP);
            pkt->size = length;
            gnrc_netapi_dispatch(GNRC_NETTYPE_UDP, 0, msg.type, pkt);
        }
    }
    return NULL;
}

static void *sixlowpan(void *arg)
{
    msg_t msg;

    for (;;) {
        (void)arg;
        msg_receive(&msg);
        if (msg.type == GNRC_NETAPI_MSG_TYPE_SND) {
            gnrc_sixlowpan_iphc_send(msg.content.ptr, NULL, 0);
        } else if (msg.type == GNRC_NETAPI_MSG_TYPE_RCV) {
            const gnrc_pktsnip_t *pkt = msg.content.ptr;
            uint8_t dispatch = *(const uint8_t *)pkt->data & 0xf8u; /* RFC 4944 5.3: 11000, 11100 are fragments */

            if (dispatch == 0xc0 || dispatch == 0xe0) {
                gnrc_sixlowpan_frag_recv(msg.content.ptr, NULL, 0);
            } else {
                gnrc_sixlowpan_iphc_recv(msg.content.ptr, NULL, 0);
            }
        } else if (msg.type == 0x0225) { /* the next fragment: a message without a packet */
            gnrc_sixlowpan_frag_send(NULL, msg.content.ptr, 0);
        }
    }
    return NULL;
}

void stack_start(void)
{
    sixlowpan_pid = thread_create(stacks[0], sizeof stacks[0], 3, 0, sixlowpan, NULL, "6lo");
    ipv6_pid = thread_create(stacks[1], sizeof stacks[1], 4, 0, ipv6, NULL, "ipv6");
    udp_pid = thread_create(stacks[2], sizeof stacks[2], 5, 0, udp, NULL, "udp");
}
