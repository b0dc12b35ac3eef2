/** UDP sockets (RIOT: sys/net/gnrc/sock/udp/gnrc_sock_udp.c). */
#include <string.h>

#include "net/gnrc/ipv6/hdr.h"
#include "net/gnrc/netapi.h"
#include "net/gnrc/pktbuf.h"
#include "net/gnrc/udp.h"
#include "net/sock/udp.h"
#include "standin.h"

static sock_udp_t *bound;

void *sock_mbox(void)
{
    return &bound->mbox;
}

int sock_udp_create(sock_udp_t *sock, const sock_udp_ep_t *local, const sock_udp_ep_t *remote, uint16_t flags)
{
    (void)remote;
    (void)flags;
    sock->port = local->port;
    sock->mbox = (mbox_t){ .msg_array = sock->queue, .size = 8 };
    bound = sock;
    return 0;
}

ssize_t sock_udp_sendv_aux(sock_udp_t *sock, const iolist_t *snips, const sock_udp_ep_t *remote, sock_udp_aux_tx_t *aux)
{
    gnrc_pktsnip_t *pkt = gnrc_pktbuf_add(NULL, snips->iol_base, snips->iol_len, GNRC_NETTYPE_UNDEF);

    (void)aux;
    pkt = gnrc_ipv6_hdr_build(gnrc_udp_hdr_build(pkt, sock->port, remote->port), NULL, NULL);
    gnrc_netapi_dispatch(GNRC_NETTYPE_UDP, 0, GNRC_NETAPI_MSG_TYPE_SND, pkt);
    return (ssize_t)snips->iol_len;
}

ssize_t sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **buf_ctx, uint32_t timeout, sock_udp_ep_t *remote,
                              sock_udp_aux_rx_t *aux)
{
    gnrc_pktsnip_t *pkt;
    msg_t msg;

    (void)remote;
    (void)aux;
    if (*buf_ctx != NULL) {
        *data = NULL;
        gnrc_pktbuf_release(*buf_ctx);
        *buf_ctx = NULL;
        return 0;
    }
    if (_mbox_get(&sock->mbox, &msg, timeout == 0 ? NON_BLOCKING : BLOCKING) != 1) {
        return -EAGAIN;
    }
    pkt = msg.content.ptr;
    *data = pkt->data;
    *buf_ctx = pkt;
    return (ssize_t)pkt->size;
}

/* In the same file, as RIOT's: this call no linker wraps but LLVM's. */
ssize_t sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                          sock_udp_aux_rx_t *aux)
{
    void *part, *context = NULL;
    ssize_t size, result = 0;

    while ((size = sock_udp_recv_buf_aux(sock, &part, &context, timeout, remote, aux)) > 0) {
        if ((size_t)size > max_len) {
            result = -ENOBUFS;
            continue;
        }
        memcpy(data, part, (size_t)size);
        result = size;
    }
    return size < 0 ? size : result;
}
