/** Sockets of GNRC and lwIP. A receive call waits for its packet; sock.rx begins when its mailbox has given it out. */
#include "gpiorig_riot.h"

#if defined MODULE_GNRC_SOCK_UDP || defined MODULE_LWIP_SOCK_UDP
#define HAS_SOCKETS

#include "thread.h"

/** By thread. Others take packets out of mailboxes, too: sockets of IP, or the application. */
static uint8_t calls[KERNEL_PID_LAST + 1];
enum { NO_CALL, WAITING, HAS_PACKET };

static void take(uint16_t id)
{
    uint8_t *call = &calls[thread_getpid()];

    if (*call == WAITING) {
        *call = HAS_PACKET;
        GPIORIG_ENTER_ID(SOCK_RX, id);
    }
}
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
#ifdef HAS_SOCKETS
        if (message->type == GNRC_NETAPI_MSG_TYPE_RCV) {
            take(gpiorig_received_id(message->content.ptr));
        }
#endif
    }
    return result;
}

#endif

#ifdef MODULE_LWIP_SOCK_UDP

#include "lwip/sock_internal.h"

int __real_lwip_sock_recv(struct netconn *connection, uint32_t timeout, struct netbuf **buffer);
int __wrap_lwip_sock_recv(struct netconn *connection, uint32_t timeout, struct netbuf **buffer);

int __wrap_lwip_sock_recv(struct netconn *connection, uint32_t timeout, struct netbuf **buffer)
{
    int result = __real_lwip_sock_recv(connection, timeout, buffer);

    if (result >= 0) {
        const struct pbuf *part = (*buffer)->p;

        while (part->next != NULL) {
            part = part->next;
        }
        take(gpiorig_bytes_id(part->payload, part->len));
    }
    return result;
}

#endif

#ifdef HAS_SOCKETS

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

/** Without an id if the packet is empty or was refused. */
static void leave(const void *data, ssize_t result)
{
    uint8_t *call = &calls[thread_getpid()];

    if (*call == HAS_PACKET) {
        if (result > 0) {
            GPIORIG_EXIT_ID(SOCK_RX, gpiorig_bytes_id(data, (size_t)result));
        } else {
            GPIORIG_EXIT(SOCK_RX);
        }
    }
    *call = NO_CALL;
}

ssize_t __wrap_sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                                 sock_udp_aux_rx_t *aux)
{
    ssize_t result;

    calls[thread_getpid()] = WAITING;
    result = __real_sock_udp_recv_aux(sock, data, max_len, timeout, remote, aux);
    leave(data, result);
    return result;
}

/** Hands out where the packet is; called again with its context, it lets the packet go and takes none. */
ssize_t __wrap_sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **context, uint32_t timeout,
                                     sock_udp_ep_t *remote, sock_udp_aux_rx_t *aux)
{
    ssize_t result;

    calls[thread_getpid()] = WAITING;
    result = __real_sock_udp_recv_buf_aux(sock, data, context, timeout, remote, aux);
    leave(*data, result);
    return result;
}

#endif
