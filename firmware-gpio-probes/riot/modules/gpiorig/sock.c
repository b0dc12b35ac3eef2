/** Sockets. A receive call waits for its packet; sock.rx begins when the mailbox has given it out. */
#include "gpiorig_riot.h"

#ifdef MODULE_GNRC_SOCK_UDP
#include "thread.h"

/** By thread. Others take packets out of mailboxes, too: those of IP, or an application's. */
static bool in_receive_call[KERNEL_PID_LAST + 1];
#endif

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
        if (message->type == GNRC_NETAPI_MSG_TYPE_RCV && in_receive_call[thread_getpid()]) {
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
ssize_t __real_sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **context, uint32_t timeout,
                                     sock_udp_ep_t *remote, sock_udp_aux_rx_t *aux);
ssize_t __wrap_sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **context, uint32_t timeout,
                                     sock_udp_ep_t *remote, sock_udp_aux_rx_t *aux);

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

/** A packet is the caller's, empty perhaps, or came and was refused. */
static void leave(const void *data, ssize_t result)
{
    if (result > 0) {
        GPIORIG_EXIT_ID(SOCK_RX, gpiorig_bytes_id(data, (size_t)result));
    } else if (result == 0 || result == -ENOBUFS || result == -EPROTO) {
        GPIORIG_EXIT(SOCK_RX);
    }
}

ssize_t __wrap_sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                                 sock_udp_aux_rx_t *aux)
{
    bool *in_call = &in_receive_call[thread_getpid()];
    ssize_t result;

    *in_call = true;
    result = __real_sock_udp_recv_aux(sock, data, max_len, timeout, remote, aux);
    *in_call = false;
    leave(data, result);
    return result;
}

/** Hands out where the packet is; called again with its context, it lets the packet go. */
ssize_t __wrap_sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **context, uint32_t timeout,
                                     sock_udp_ep_t *remote, sock_udp_aux_rx_t *aux)
{
    bool *in_call = &in_receive_call[thread_getpid()];
    bool lets_go = *context != NULL;
    ssize_t result;

    *in_call = true;
    result = __real_sock_udp_recv_buf_aux(sock, data, context, timeout, remote, aux);
    *in_call = false;
    if (!lets_go) {
        leave(*data, result);
    }
    return result;
}

#endif
