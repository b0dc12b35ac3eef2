/** What the glue uses of Contiki-NG 5.0's os/net/ipv6/simple-udp.h (6c18163c). Declarations only, written for these tests. */
#ifndef NET_IPV6_SIMPLE_UDP_H
#define NET_IPV6_SIMPLE_UDP_H

#include "net/ipv6/uip.h"

struct simple_udp_connection;

typedef void (*simple_udp_callback)(struct simple_udp_connection *c, const uip_ipaddr_t *source_addr, uint16_t source_port,
                                    const uip_ipaddr_t *dest_addr, uint16_t dest_port, const uint8_t *data,
                                    uint16_t datalen);

struct simple_udp_connection {
    struct simple_udp_connection *next;
    uip_ipaddr_t remote_addr;
    uint16_t remote_port, local_port;
    simple_udp_callback receive_callback;
    struct uip_udp_conn *udp_conn;
    struct process *client_process;
};

int simple_udp_register(struct simple_udp_connection *c, uint16_t local_port, uip_ipaddr_t *remote_addr,
                        uint16_t remote_port, simple_udp_callback receive_callback);
int simple_udp_sendto(struct simple_udp_connection *c, const void *data, uint16_t datalen, const uip_ipaddr_t *to);

#endif
