/** Over UDP and 6LoWPAN, with link-local addresses. */
#include "link.h"

#include "net/ipv6/simple-udp.h"
#include "net/ipv6/uip-ds6.h"
#include "net/ipv6/uip.h"

#include <string.h>

/* Both ports are compressed to 4 bits by LOWPAN_NHC: RFC 6282 4.3.3. */
#define PORT 0xF0B1

static struct simple_udp_connection connection;
static link_received *take;

/* The address of a node on the link follows from its EUI-64 and back: RFC 4944 6, RFC 4291 appendix A. */
#define UNIVERSAL_LOCAL 0x02u

static void address_of(uip_ipaddr_t *address, const linkaddr_t *node)
{
    uip_create_linklocal_prefix(address);
    memcpy(&address->u8[8], node, sizeof *node);
    address->u8[8] ^= UNIVERSAL_LOCAL;
}

static void received(struct simple_udp_connection *c, const uip_ipaddr_t *from, uint16_t from_port, const uip_ipaddr_t *to,
                     uint16_t to_port, const uint8_t *data, uint16_t length)
{
    linkaddr_t node;

    (void)c;
    (void)from_port;
    (void)to;
    (void)to_port;
    memcpy(&node, &from->u8[8], sizeof node);
    node.u8[0] ^= UNIVERSAL_LOCAL;
    take(data, length, &node);
}

void link_open(link_received *to)
{
    take = to;
    simple_udp_register(&connection, PORT, NULL, PORT, received);
}

/** The link-local address is the only one that the node has; that of the old link-layer address goes. */
void link_address(void)
{
    uip_ds6_addr_t *old = uip_ds6_get_link_local(-1);
    uip_ipaddr_t address;

    if (old != NULL) {
        uip_ds6_addr_rm(old);
    }
    memcpy(&uip_lladdr, &linkaddr_node_addr, sizeof uip_lladdr);
    address_of(&address, &linkaddr_node_addr);
    uip_ds6_addr_add(&address, 0, ADDR_MANUAL);
}

void link_send(const uint8_t *payload, uint16_t length, const linkaddr_t *to)
{
    uip_ipaddr_t address;

    if (to != NULL) {
        address_of(&address, to);
    } else {
        uip_create_linklocal_allnodes_mcast(&address);
    }
    simple_udp_sendto(&connection, payload, length, &address);
}
