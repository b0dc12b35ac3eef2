/** Stand-in for os/net/ipv6/tcpip.c and os/net/netstack.c. */
#include "net/ipv6/tcpip.h"
#include "net/ipv6/uip.h"
#include "net/netstack.h"

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

void tcpip_ipv6_output(void)
{
    static const linkaddr_t next_hop = {.u8 = {2, 0, 0, 0, 0, 0, 0, 2}};

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
