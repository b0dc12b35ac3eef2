/** Stand-in for os/net/ipv6/simple-udp.c: one connection. */
#include "net/ipv6/simple-udp.h"
#include "net/ipv6/uip-udp-packet.h"

#include "udp.h"

PROCESS(simple_udp_process, "Simple UDP process");

static struct simple_udp_connection *connection;
static struct uip_udp_conn conn;
static const uint8_t *delivered;
static uint16_t delivered_length;

int simple_udp_register(struct simple_udp_connection *c, uint16_t local_port, uip_ipaddr_t *remote, uint16_t remote_port,
                        simple_udp_callback callback)
{
    (void)remote;
    process_start(&simple_udp_process, NULL);
    c->local_port = local_port;
    c->remote_port = remote_port;
    c->receive_callback = callback;
    c->udp_conn = &conn;
    c->client_process = process_current;
    connection = c;
    return 1;
}

int simple_udp_sendto(struct simple_udp_connection *c, const void *data, uint16_t length, const uip_ipaddr_t *to)
{
    uip_udp_packet_sendto(c->udp_conn, data, length, to, c->remote_port);
    return 0;
}

void udp_deliver(const uint8_t *data, uint16_t length)
{
    delivered = data;
    delivered_length = length;
    process_post_synch(&simple_udp_process, PROCESS_EVENT_CONTINUE, NULL);
}

PROCESS_THREAD(simple_udp_process, ev, data)
{
    static const uip_ipaddr_t from = {.u8 = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}};

    PROCESS_BEGIN();
    for (;;) {
        PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_CONTINUE);
        connection->receive_callback(connection, &from, connection->remote_port, &from, connection->local_port, delivered,
                                     delivered_length);
    }
    PROCESS_END();
}
