/** Handing packets on: by message, or into a socket's mailbox (RIOT: sys/net/gnrc/netapi/gnrc_netapi.c). */
#include "mbox.h"
#include "net/gnrc/netapi.h"
#include "standin.h"

int _gnrc_netapi_send_recv(kernel_pid_t pid, gnrc_pktsnip_t *pkt, uint16_t type)
{
    msg_t msg = { .type = type, .content = { .ptr = pkt } };

    return msg_try_send(&msg, pid);
}

/* Who is registered: a layer by its thread, PORT by the socket. */
int gnrc_netapi_dispatch(gnrc_nettype_t type, uint32_t demux_ctx, uint16_t cmd, gnrc_pktsnip_t *pkt)
{
    msg_t msg = { .type = cmd, .content = { .ptr = pkt } };

    switch (type) {
    case GNRC_NETTYPE_UDP:
        if (demux_ctx == PORT) {
            return _mbox_put(sock_mbox(), &msg, NON_BLOCKING);
        }
        return _gnrc_netapi_send_recv(udp_pid, pkt, cmd);
    case GNRC_NETTYPE_IPV6:
        return _gnrc_netapi_send_recv(ipv6_pid, pkt, cmd);
    default:
        return _gnrc_netapi_send_recv(sixlowpan_pid, pkt, cmd);
    }
}

