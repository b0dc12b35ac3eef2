/**
 * Stand-in for os/net/ipv6/tcpip.c and os/net/netstack.c. Nothing is sent from an address that is tentative, or to a node
 * whose link-layer address is not known: neighbour discovery does not resolve (seen with 4.4 without routing).
 */
#include "net/ipv6/tcpip.h"
#include "net/ipv6/uip-ds6.h"
#include "net/netstack.h"

#include "udp.h"

#include <string.h>

#ifndef UIP_CONF_ND6_AUTOFILL_NBR_CACHE
#define UIP_CONF_ND6_AUTOFILL_NBR_CACHE 0 /* uip-nd6.h, without routing */
#endif

PROCESS(tcpip_process, "TCP/IP stack");

static struct netstack_ip_packet_processor *processors;

void netstack_ip_packet_processor_add(struct netstack_ip_packet_processor *p)
{
    p->next = processors;
    processors = p;
}

enum netstack_ip_action netstack_process_ip_callback(uint8_t type, const linkaddr_t *to)
{
    for (struct netstack_ip_packet_processor *p = processors; p != NULL; p = p->next) {
        if (type == NETSTACK_IP_OUTPUT && p->process_output != NULL && p->process_output(to) != NETSTACK_IP_PROCESS) {
            return NETSTACK_IP_DROP;
        }
        if (type == NETSTACK_IP_INPUT && p->process_input != NULL && p->process_input() != NETSTACK_IP_PROCESS) {
            return NETSTACK_IP_DROP;
        }
    }
    return NETSTACK_IP_PROCESS;
}

void tcpip_input(void)
{
    if (netstack_process_ip_callback(NETSTACK_IP_INPUT, NULL) == NETSTACK_IP_PROCESS) {
        process_post_synch(&tcpip_process, PROCESS_EVENT_CONTINUE, NULL);
    }
    uip_len = 0;
}

/** The link-layer address of the destination, from its interface identifier where that is allowed; all, of a multicast. */
static bool resolve(linkaddr_t *next_hop)
{
    memset(next_hop, 0, sizeof *next_hop);
    if (uip_buf[UIP_DESTINATION] == 0xff) {
        return true;
    }
    memcpy(next_hop, &uip_buf[UIP_DESTINATION + 8], sizeof *next_hop);
    next_hop->u8[0] ^= 0x02;
    return UIP_CONF_ND6_AUTOFILL_NBR_CACHE;
}

void tcpip_ipv6_output(void)
{
    linkaddr_t next_hop;

    if (uip_ds6_get_link_local(ADDR_PREFERRED) == NULL || !resolve(&next_hop)) {
        uip_len = 0;
        return;
    }
    if (netstack_process_ip_callback(NETSTACK_IP_OUTPUT, &next_hop) == NETSTACK_IP_PROCESS) {
        NETSTACK_NETWORK.output(&next_hop);
    }
    uip_len = 0;
}

PROCESS_THREAD(tcpip_process, ev, data)
{
    PROCESS_BEGIN();
    for (;;) {
        PROCESS_WAIT_EVENT();
        uip_process(UIP_DATA);
    }
    PROCESS_END();
}
