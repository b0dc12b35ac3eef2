/**
 * UDP sockets of GNRC and of lwIP, for the PC: what applications ask of them, through the glue. The events are in the probe
 * library's log.
 */
#include <errno.h>

#include "gpiorig_riot.h"

#include "lwip/sock_internal.h"
#include "mbox.h"
#include "net/gnrc/netapi.h"
#include "net/sock/udp.h"

ssize_t __wrap_sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                                 sock_udp_aux_rx_t *aux);
ssize_t __wrap_sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **context, uint32_t timeout,
                                     sock_udp_ep_t *remote, sock_udp_aux_rx_t *aux);
int __wrap__mbox_get(mbox_t *mbox, msg_t *message, int blocking);
int __wrap_lwip_sock_recv(struct netconn *connection, uint32_t timeout, struct netbuf **buffer);

struct gpiorig_host gpiorig_host; /* the port wants it; it has none of its pins */

static uint8_t payload[4] = { 0x03, 0x04, 0x03, 0x04 };
static gnrc_pktsnip_t packet = { .data = payload, .size = sizeof payload };
static bool arrived, over_lwip;
static ssize_t outcome;

uint32_t gpiorig_now(void)
{
    return 0;
}

kernel_pid_t thread_getpid(void)
{
    return 5;
}

int __real__mbox_put(mbox_t *mbox, msg_t *message, int blocking);
int __real__mbox_put(mbox_t *mbox, msg_t *message, int blocking)
{
    (void)mbox;
    (void)message;
    (void)blocking;
    return 1;
}

int __real__mbox_get(mbox_t *mbox, msg_t *message, int blocking);
int __real__mbox_get(mbox_t *mbox, msg_t *message, int blocking)
{
    (void)mbox;
    (void)blocking;
    *message = (msg_t){ .type = GNRC_NETAPI_MSG_TYPE_RCV, .content.ptr = &packet };
    return arrived ? 1 : 0;
}

int __real_lwip_sock_recv(struct netconn *connection, uint32_t timeout, struct netbuf **buffer);
int __real_lwip_sock_recv(struct netconn *connection, uint32_t timeout, struct netbuf **buffer)
{
    static struct pbuf end = { .payload = payload, .len = sizeof payload };
    static struct pbuf begin = { .next = &end };
    static struct netbuf both = { .p = &begin };

    (void)connection;
    (void)timeout;
    *buffer = &both;
    return arrived ? 0 : -EAGAIN;
}

ssize_t __real_sock_udp_sendv_aux(sock_udp_t *sock, const iolist_t *snips, const sock_udp_ep_t *remote,
                                  sock_udp_aux_tx_t *aux);
ssize_t __real_sock_udp_sendv_aux(sock_udp_t *sock, const iolist_t *snips, const sock_udp_ep_t *remote,
                                  sock_udp_aux_tx_t *aux)
{
    (void)sock;
    (void)remote;
    (void)aux;
    return (ssize_t)snips->iol_len;
}

ssize_t __real_sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **context, uint32_t timeout,
                                     sock_udp_ep_t *remote, sock_udp_aux_rx_t *aux);
ssize_t __real_sock_udp_recv_buf_aux(sock_udp_t *sock, void **data, void **context, uint32_t timeout,
                                     sock_udp_ep_t *remote, sock_udp_aux_rx_t *aux)
{
    struct netbuf *buffer;
    msg_t message;

    (void)sock;
    (void)remote;
    (void)aux;
    if (*context != NULL) {
        *context = *data = NULL;
        return 0;
    }
    if (over_lwip ? __wrap_lwip_sock_recv(NULL, timeout, &buffer) < 0 : __wrap__mbox_get(NULL, &message, 0) != 1) {
        return -EAGAIN;
    }
    if (outcome >= 0) {
        *context = &packet;
        *data = payload;
    }
    return outcome;
}

ssize_t __real_sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                                 sock_udp_aux_rx_t *aux);
ssize_t __real_sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                                 sock_udp_aux_rx_t *aux)
{
    void *part, *context = NULL;

    (void)data;
    (void)max_len;
    return __real_sock_udp_recv_buf_aux(sock, &part, &context, timeout, remote, aux);
}

/** As gcoap and nanocoap: looks, finds a packet, reads it where it is, lets it go. */
static void read_in_place(ssize_t result)
{
    void *part, *context = NULL;

    gpiorig_init();
    arrived = false;
    __wrap_sock_udp_recv_buf_aux(NULL, &part, &context, 0, NULL, NULL);
    arrived = true;
    outcome = result;
    __wrap_sock_udp_recv_buf_aux(NULL, &part, &context, 0, NULL, NULL);
    if (context != NULL) {
        __wrap_sock_udp_recv_buf_aux(NULL, &part, &context, 0, NULL, NULL);
    }
}

void packet_in_place(void);
void packet_in_place(void)
{
    read_in_place(sizeof payload);
}

void empty_packet(void);
void empty_packet(void)
{
    read_in_place(0);
}

void refused_packet(void);
void refused_packet(void)
{
    read_in_place(-EPROTO);
}

void lwip_packet(void);
void lwip_packet(void)
{
    over_lwip = true;
    read_in_place(sizeof payload);
}

void copied_packet(void);
void copied_packet(void)
{
    gpiorig_init();
    arrived = true;
    outcome = sizeof payload;
    __wrap_sock_udp_recv_aux(NULL, payload, sizeof payload, 0, NULL, NULL);
}

/** A socket of IP or the application takes a packet from a mailbox. */
void mailbox_of_others(void);
void mailbox_of_others(void)
{
    msg_t message;

    gpiorig_init();
    arrived = true;
    __wrap__mbox_get(NULL, &message, 0);
}
