/**
 * 6LoWPAN, IPv6 and UDP. What is received runs inside out of one call: mac.rx > sixlowpan.rx > ipv6.rx > udp.rx > sock.rx, so
 * a layer's own time is its span less the one inside. What is sent nests likewise down to mac.tx.
 */
#include "gpiorig-contiki.h"

#if !defined GPIORIG_OFF && NETSTACK_CONF_WITH_IPV6

#include "net/ipv6/simple-udp.h"
#include "net/ipv6/tcpip.h"
#include "net/ipv6/uip-udp-packet.h"
#include "net/ipv6/uip.h"
#include "net/netstack.h"
#include "net/packetbuf.h"

extern uint16_t uip_slen; /* length of what uip_udp_packet_send() sends; uip.h leaves it out */

/** Of the IPv6 packet in hand. */
static uint16_t ip_id(void)
{
    return gpiorig_tail(uip_buf, uip_len);
}

/* 6LoWPAN */

extern const struct network_driver GPIORIG_REAL(sicslowpan_driver);
extern const struct network_driver GPIORIG_WRAP(sicslowpan_driver);
#define SIXLOWPAN GPIORIG_REAL(sicslowpan_driver)

static void sixlowpan_init(void)
{
    SIXLOWPAN.init();
}

static void sixlowpan_input(void)
{
    uint16_t id = gpiorig_tail(packetbuf_dataptr(), packetbuf_datalen());

    GPIORIG_ENTER_ID(SIXLOWPAN_RX, id);
    SIXLOWPAN.input();
    GPIORIG_EXIT_ID(SIXLOWPAN_RX, id);
}

static uint8_t sixlowpan_output(const linkaddr_t *destination)
{
    uint16_t id = ip_id();
    uint8_t result;

    GPIORIG_ENTER_ID(SIXLOWPAN_TX, id);
    result = SIXLOWPAN.output(destination);
    GPIORIG_EXIT_ID(SIXLOWPAN_TX, id);
    return result;
}

const struct network_driver GPIORIG_WRAP(sicslowpan_driver) = {
    .name = "sicslowpan",
    .init = sixlowpan_init,
    .input = sixlowpan_input,
    .output = sixlowpan_output,
};

/* IPv6 */

void GPIORIG_REAL(tcpip_input)(void);
void GPIORIG_WRAP(tcpip_input)(void);
void GPIORIG_REAL(tcpip_ipv6_output)(void);
void GPIORIG_WRAP(tcpip_ipv6_output)(void);
void GPIORIG_REAL(uip_process)(uint8_t what);
void GPIORIG_WRAP(uip_process)(uint8_t what);

static uint8_t processor_added;
static uint8_t looking_up; /* ipv6.next_hop is open */
static uint16_t looking_up_id;

static void lookup_ended(void)
{
    if (looking_up) {
        looking_up = 0;
        GPIORIG_EXIT_ID(IPV6_NEXT_HOP, looking_up_id);
    }
}

/** Called by tcpip_output() when the next hop is known, for what it may be told to drop. */
static enum netstack_ip_action next_hop_found(const linkaddr_t *destination)
{
    (void)destination;
    lookup_ended();
    return NETSTACK_IP_PROCESS;
}

static struct netstack_ip_packet_processor processor = {.process_output = next_hop_found};

void GPIORIG_WRAP(tcpip_input)(void)
{
    uint16_t id = ip_id();

    GPIORIG_ENTER_ID(IPV6_RX, id);
    GPIORIG_REAL(tcpip_input)();
    GPIORIG_EXIT_ID(IPV6_RX, id);
}

void GPIORIG_WRAP(tcpip_ipv6_output)(void)
{
    uint16_t id = ip_id();

    if (!processor_added) {
        processor_added = 1;
        netstack_ip_packet_processor_add(&processor);
    }
    GPIORIG_ENTER_ID(IPV6_TX, id);
    GPIORIG_ENTER_ID(IPV6_NEXT_HOP, id);
    looking_up = 1;
    looking_up_id = id;
    GPIORIG_REAL(tcpip_ipv6_output)();
    lookup_ended(); /* no next hop: dropped, or waiting for a neighbour */
    GPIORIG_EXIT_ID(IPV6_TX, id);
}

/** One function does all of IPv6 and UDP. Received: headers, checksum, the application. Sent: headers and checksum. */
void GPIORIG_WRAP(uip_process)(uint8_t what)
{
    uint16_t id;

    switch (what) {
    case UIP_DATA:
        id = ip_id();
        GPIORIG_ENTER_ID(UDP_RX, id);
        GPIORIG_REAL(uip_process)(what);
        GPIORIG_EXIT_ID(UDP_RX, id);
        break;
    case UIP_UDP_SEND_CONN:
        id = gpiorig_tail(&uip_buf[UIP_IPUDPH_LEN], uip_slen);
        GPIORIG_ENTER_ID(UDP_HEADER, id);
        GPIORIG_REAL(uip_process)(what);
        GPIORIG_EXIT_ID(UDP_HEADER, id);
        break;
    default: /* timers and polls */
        GPIORIG_REAL(uip_process)(what);
        break;
    }
}

/* UDP */

void GPIORIG_REAL(uip_udp_packet_sendto)(struct uip_udp_conn *connection, const void *data, int length,
                                         const uip_ipaddr_t *to, uint16_t port);
void GPIORIG_WRAP(uip_udp_packet_sendto)(struct uip_udp_conn *connection, const void *data, int length,
                                         const uip_ipaddr_t *to, uint16_t port);

void GPIORIG_WRAP(uip_udp_packet_sendto)(struct uip_udp_conn *connection, const void *data, int length,
                                         const uip_ipaddr_t *to, uint16_t port)
{
    uint16_t id = gpiorig_tail(data, (uint16_t)length);

    GPIORIG_ENTER_ID(UDP_TX, id);
    GPIORIG_REAL(uip_udp_packet_sendto)(connection, data, length, to, port);
    GPIORIG_EXIT_ID(UDP_TX, id);
}

#ifdef GPIORIG_SIMPLE_UDP

int GPIORIG_REAL(simple_udp_sendto)(struct simple_udp_connection *connection, const void *data, uint16_t length,
                                    const uip_ipaddr_t *to);
int GPIORIG_WRAP(simple_udp_sendto)(struct simple_udp_connection *connection, const void *data, uint16_t length,
                                    const uip_ipaddr_t *to);
int GPIORIG_REAL(simple_udp_register)(struct simple_udp_connection *connection, uint16_t local_port, uip_ipaddr_t *remote,
                                      uint16_t remote_port, simple_udp_callback received);
int GPIORIG_WRAP(simple_udp_register)(struct simple_udp_connection *connection, uint16_t local_port, uip_ipaddr_t *remote,
                                      uint16_t remote_port, simple_udp_callback received);

static struct receiver {
    const struct simple_udp_connection *connection;
    simple_udp_callback received;
} receivers[GPIORIG_CONNECTIONS];

int GPIORIG_WRAP(simple_udp_sendto)(struct simple_udp_connection *connection, const void *data, uint16_t length,
                                    const uip_ipaddr_t *to)
{
    uint16_t id = gpiorig_tail(data, length);
    int result;

    GPIORIG_ENTER_ID(SOCK_TX, id);
    result = GPIORIG_REAL(simple_udp_sendto)(connection, data, length, to);
    GPIORIG_EXIT_ID(SOCK_TX, id);
    return result;
}

/** In place of the application's callback. */
static void received_by(struct simple_udp_connection *connection, const uip_ipaddr_t *from, uint16_t from_port,
                        const uip_ipaddr_t *to, uint16_t to_port, const uint8_t *data, uint16_t length)
{
    uint16_t id = gpiorig_tail(data, length);

    for (unsigned at = 0; at < GPIORIG_CONNECTIONS; at++) {
        if (receivers[at].connection == connection) {
            GPIORIG_ENTER_ID(SOCK_RX, id);
            receivers[at].received(connection, from, from_port, to, to_port, data, length);
            GPIORIG_EXIT_ID(SOCK_RX, id);
            return;
        }
    }
}

int GPIORIG_WRAP(simple_udp_register)(struct simple_udp_connection *connection, uint16_t local_port, uip_ipaddr_t *remote,
                                      uint16_t remote_port, simple_udp_callback received)
{
    for (unsigned at = 0; received != NULL && at < GPIORIG_CONNECTIONS; at++) {
        if (receivers[at].connection == NULL || receivers[at].connection == connection) {
            receivers[at] = (struct receiver){connection, received};
            return GPIORIG_REAL(simple_udp_register)(connection, local_port, remote, remote_port, received_by);
        }
    }
    gpiorig_unhooked += received != NULL;
    return GPIORIG_REAL(simple_udp_register)(connection, local_port, remote, remote_port, received);
}

#endif
#endif
