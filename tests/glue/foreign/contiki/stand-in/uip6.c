/** Stand-in for os/net/ipv6/uip6.c, uip-udp-packet.c being another file there and here. */
#include "net/ipv6/uip.h"

#include "udp.h"

#include <string.h>

uip_buf_t uip_aligned_buf;
uint16_t uip_len, uip_slen;

void uip_process(uint8_t flag)
{
    if (flag == UIP_DATA) {
        udp_deliver(&uip_buf[UIP_IPUDPH_LEN], (uint16_t)(uip_len - UIP_IPUDPH_LEN));
    } else {
        memset(uip_buf, 0, UIP_IPUDPH_LEN);
        uip_len = (uint16_t)(UIP_IPUDPH_LEN + uip_slen);
    }
}
