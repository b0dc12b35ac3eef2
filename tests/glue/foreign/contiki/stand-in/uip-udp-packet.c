/** Stand-in for os/net/ipv6/uip-udp-packet.c. */
#include "net/ipv6/uip-udp-packet.h"
#include "net/ipv6/tcpip.h"

#include "udp.h"

#include <string.h>

extern uint16_t uip_slen;

void uip_udp_packet_sendto(struct uip_udp_conn *c, const void *data, int len, const uip_ipaddr_t *to, uint16_t port)
{
    (void)c;
    (void)port;
    memcpy(&uip_buf[UIP_IPUDPH_LEN], data, (size_t)len);
    uip_slen = (uint16_t)len;
    uip_process(UIP_UDP_SEND_CONN);
    memcpy(&uip_buf[UIP_DESTINATION], to, sizeof *to);
    tcpip_ipv6_output();
    uip_slen = 0;
}
