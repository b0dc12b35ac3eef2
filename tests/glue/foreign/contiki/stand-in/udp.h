/** Between the stand-ins of uip6.c and simple-udp.c. */
#ifndef UDP_H
#define UDP_H

#include <stdint.h>

#define UIP_DESTINATION 24 /* in the IPv6 header: RFC 8200 3 */

void udp_deliver(const uint8_t *data, uint16_t length);

#endif
