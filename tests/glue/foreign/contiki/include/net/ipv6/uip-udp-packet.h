/** What the glue uses of Contiki-NG 5.0's os/net/ipv6/uip-udp-packet.h (7d0464d0). Declarations only, written for these tests. */
#ifndef NET_IPV6_UIP_UDP_PACKET_H
#define NET_IPV6_UIP_UDP_PACKET_H

#include "net/ipv6/uip.h"

void uip_udp_packet_sendto(struct uip_udp_conn *c, const void *data, int len, const uip_ipaddr_t *toaddr, uint16_t toport);

#endif
