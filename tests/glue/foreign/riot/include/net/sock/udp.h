/* RIOT sys/include/net/sock/udp.h; sock_udp_send, _recv and _recv_buf are inline, there and here. */
#ifndef RIOT_NET_SOCK_UDP_H
#define RIOT_NET_SOCK_UDP_H

#include <errno.h>
#include <stdint.h>
#include <sys/types.h>

#include "iolist.h"
#include "mbox.h"

#ifndef AF_INET6 /* on the PC it has another header, too */
#define AF_INET6 10
#endif
#define SOCK_ADDR_ANY_NETIF 0
#define SOCK_NO_TIMEOUT UINT32_MAX

typedef struct {
    int family;
    union {
        uint8_t ipv6[16];
    } addr;
    uint16_t netif;
    uint16_t port;
} sock_udp_ep_t;

typedef struct {
    mbox_t mbox; /* of what RIOT's has, what the stand-in needs */
    msg_t queue[8];
    uint16_t port;
    int file; /* on the PC: its place in the air */
} sock_udp_t;

typedef struct sock_udp_aux_rx sock_udp_aux_rx_t;
typedef struct sock_udp_aux_tx sock_udp_aux_tx_t;

int sock_udp_create(sock_udp_t *sock, const sock_udp_ep_t *local, const sock_udp_ep_t *remote, uint16_t flags);
ssize_t sock_udp_sendv_aux(sock_udp_t *sock, const iolist_t *snips, const sock_udp_ep_t *remote,
                           sock_udp_aux_tx_t *aux);
ssize_t sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                          sock_udp_aux_rx_t *aux);

ssize_t sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **buf_ctx, uint32_t timeout, sock_udp_ep_t *remote,
                              sock_udp_aux_rx_t *aux);

static inline ssize_t sock_udp_send(sock_udp_t *sock, const void *data, size_t len, const sock_udp_ep_t *remote)
{
    const iolist_t snip = { .iol_base = (void *)(uintptr_t)data, .iol_len = len };

    return sock_udp_sendv_aux(sock, &snip, remote, NULL);
}

static inline ssize_t sock_udp_recv(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout,
                                    sock_udp_ep_t *remote)
{
    return sock_udp_recv_aux(sock, data, max_len, timeout, remote, NULL);
}

static inline ssize_t sock_udp_recv_buf(sock_udp_t *sock, void **data, void **buf_ctx, uint32_t timeout,
                                        sock_udp_ep_t *remote)
{
    return sock_udp_recv_buf_aux(sock, data, buf_ctx, timeout, remote, NULL);
}

#endif
