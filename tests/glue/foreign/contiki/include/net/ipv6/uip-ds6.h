/** What the applications use of Contiki-NG 5.0's os/net/ipv6/uip-ds6.h. Declarations only, written for these tests. */
#ifndef NET_IPV6_UIP_DS6_H
#define NET_IPV6_UIP_DS6_H

#include "net/ipv6/uip.h"

#define ADDR_TENTATIVE 0
#define ADDR_PREFERRED 1
#define ADDR_MANUAL 3

typedef struct {
    uip_ipaddr_t ipaddr;
    uint8_t isused, state;
} uip_ds6_addr_t;

uip_ds6_addr_t *uip_ds6_addr_add(uip_ipaddr_t *ipaddr, unsigned long vlifetime, uint8_t type);
void uip_ds6_addr_rm(uip_ds6_addr_t *addr);
uip_ds6_addr_t *uip_ds6_get_link_local(int8_t state);
void uip_ds6_init(void);

#endif
