/* RIOT pkg/lwip/include/lwip/sock_internal.h, and what it includes of lwIP 2.2.1: lwip/api.h, lwip/pbuf.h. */
#ifndef LWIP_SOCK_INTERNAL_H
#define LWIP_SOCK_INTERNAL_H

#include <stdint.h>

struct pbuf {
    struct pbuf *next;
    void *payload;
    uint16_t tot_len, len;
};

struct netbuf {
    struct pbuf *p, *ptr;
};

struct netconn;

int lwip_sock_recv(struct netconn *conn, uint32_t timeout, struct netbuf **buf);

#endif
