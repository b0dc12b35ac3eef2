/** Sockets. A receive call waits for its packet; sock.rx begins when the mailbox has given it out. */
#include "gpiorig_riot.h"

#ifdef MODULE_GNRC_NETAPI_MBOX

#include "mbox.h"
#include "net/gnrc/netapi.h"

int __real__mbox_put(mbox_t *mbox, msg_t *message, int blocking);
int __wrap__mbox_put(mbox_t *mbox, msg_t *message, int blocking);
int __real__mbox_get(mbox_t *mbox, msg_t *message, int blocking);
int __wrap__mbox_get(mbox_t *mbox, msg_t *message, int blocking);

int __wrap__mbox_put(mbox_t *mbox, msg_t *message, int blocking)
{
    int result;

    GPIORIG_EVENT_ID(QUEUE_POST, GPIORIG_QUEUE(mbox));
    result = __real__mbox_put(mbox, message, blocking);
    if (result != 1) {
        GPIORIG_EVENT_ID(QUEUE_DROP, GPIORIG_QUEUE(mbox));
    }
    return result;
}

int __wrap__mbox_get(mbox_t *mbox, msg_t *message, int blocking)
{
    int result = __real__mbox_get(mbox, message, blocking);

    if (result == 1) {
        GPIORIG_EVENT_ID(QUEUE_FETCH, GPIORIG_QUEUE(mbox));
#ifdef MODULE_GNRC_SOCK_UDP
        if (message->type == GNRC_NETAPI_MSG_TYPE_RCV) {
            GPIORIG_ENTER_ID(SOCK_RX, gpiorig_received_id(message->content.ptr));
        }
#endif
    }
    return result;
}

#endif

#ifdef MODULE_GNRC_SOCK_UDP

#include "net/sock/udp.h"

ssize_t __real_sock_udp_sendv_aux(sock_udp_t *sock, const iolist_t *snips, const sock_udp_ep_t *remote,
                                  sock_udp_aux_tx_t *aux);
ssize_t __wrap_sock_udp_sendv_aux(sock_udp_t *sock, const iolist_t *snips, const sock_udp_ep_t *remote,
                                  sock_udp_aux_tx_t *aux);
ssize_t __real_sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                                 sock_udp_aux_rx_t *aux);
ssize_t __wrap_sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                                 sock_udp_aux_rx_t *aux);

ssize_t __wrap_sock_udp_sendv_aux(sock_udp_t *sock, const iolist_t *snips, const sock_udp_ep_t *remote,
                                  sock_udp_aux_tx_t *aux)
{
    uint16_t id = gpiorig_list_id(snips);
    ssize_t result;

    GPIORIG_ENTER_ID(SOCK_TX, id);
    result = __real_sock_udp_sendv_aux(sock, snips, remote, aux);
    GPIORIG_EXIT_ID(SOCK_TX, id);
    return result;
}

ssize_t __wrap_sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                                 sock_udp_aux_rx_t *aux)
{
    ssize_t result = __real_sock_udp_recv_aux(sock, data, max_len, timeout, remote, aux);

    if (result > 0) {
        GPIORIG_EXIT_ID(SOCK_RX, gpiorig_bytes_id(data, (size_t)result));
    } else if (result == -ENOBUFS || result == -EPROTO) { /* a packet came and was refused */
        GPIORIG_EXIT(SOCK_RX);
    }
    return result;
}

#endif
