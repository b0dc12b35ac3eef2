/** Stand-in for os/net/ipv6/sicslowpan.c: IPv6 and UDP headers become eight bytes. */
#include "net/ipv6/tcpip.h"
#include "net/ipv6/uip.h"
#include "net/netstack.h"
#include "net/packetbuf.h"

#include <string.h>

#define COMPRESSED 8

static void init(void)
{
}

static void sent(void *ptr, int status, int transmissions)
{
    (void)ptr;
    (void)status;
    (void)transmissions;
}

static uint8_t output(const linkaddr_t *to)
{
    uint8_t *packet;

    (void)to;
    packetbuf_clear();
    packet = packetbuf_dataptr();
    memset(packet, 0x7e, COMPRESSED);
    memcpy(packet + COMPRESSED, &uip_buf[UIP_IPUDPH_LEN], (size_t)(uip_len - UIP_IPUDPH_LEN));
    packetbuf_set_datalen((uint16_t)(uip_len - UIP_IPUDPH_LEN + COMPRESSED));
    NETSTACK_MAC.send(sent, NULL);
    return 1;
}

static void input(void)
{
    uint16_t payload = (uint16_t)(packetbuf_datalen() - COMPRESSED);

    memset(uip_buf, 0, UIP_IPUDPH_LEN);
    memcpy(&uip_buf[UIP_IPUDPH_LEN], (uint8_t *)packetbuf_dataptr() + COMPRESSED, payload);
    uip_len = (uint16_t)(UIP_IPUDPH_LEN + payload);
    tcpip_input();
}

const struct network_driver sicslowpan_driver = {"sicslowpan", init, input, output};
