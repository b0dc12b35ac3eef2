/** What the glue uses of Contiki-NG 5.0's os/net/ipv6/tcpip.h (022ff2d6). Declarations only, written for these tests. */
#ifndef NET_IPV6_TCPIP_H
#define NET_IPV6_TCPIP_H

void tcpip_input(void);
void tcpip_ipv6_output(void);

#endif
