/**
 * Stand-in for os/net/ipv6/uip-ds6.c: one unicast address, the link-local one. While neighbour solicitations are sent
 * (UIP_CONF_ND6_SEND_NS) it stays tentative: no answer ever ends the detection of duplicates (seen with 4.4).
 */
#include "net/ipv6/uip-ds6.h"

#include <string.h>

#ifndef UIP_CONF_ND6_SEND_NS
#define UIP_CONF_ND6_SEND_NS 1 /* uip-nd6.h */
#endif

uip_lladdr_t uip_lladdr;

static uip_ds6_addr_t only;

uip_ds6_addr_t *uip_ds6_addr_add(uip_ipaddr_t *ipaddr, unsigned long vlifetime, uint8_t type)
{
    (void)vlifetime;
    (void)type;
    if (only.isused) {
        return NULL;
    }
    only.ipaddr = *ipaddr;
    only.isused = 1;
    only.state = UIP_CONF_ND6_SEND_NS ? ADDR_TENTATIVE : ADDR_PREFERRED;
    return &only;
}

void uip_ds6_addr_rm(uip_ds6_addr_t *addr)
{
    addr->isused = 0;
}

uip_ds6_addr_t *uip_ds6_get_link_local(int8_t state)
{
    return only.isused && (state == -1 || state == only.state) ? &only : NULL;
}

/** As contiki-main.c and uip_ds6_init() do it: from the link-layer address that the node has at the start. */
void uip_ds6_init(void)
{
    uip_ipaddr_t address;

    memcpy(&uip_lladdr, &linkaddr_node_addr, sizeof uip_lladdr);
    uip_create_linklocal_prefix(&address);
    memcpy(&address.u8[8], &uip_lladdr, sizeof uip_lladdr);
    address.u8[8] ^= 0x02;
    uip_ds6_addr_add(&address, 0, ADDR_MANUAL);
}
