/** Stand-in for os/net/nullnet/nullnet.c. */
#include "net/nullnet/nullnet.h"
#include "net/netstack.h"
#include "net/packetbuf.h"

#include <string.h>

uint8_t *nullnet_buf;
uint16_t nullnet_len;

static nullnet_input_callback received;

void nullnet_set_input_callback(nullnet_input_callback callback)
{
    received = callback;
}

static void init(void)
{
}

static void input(void)
{
    static const linkaddr_t from = {.u8 = {2, 0, 0, 0, 0, 0, 0, 2}};

    received(packetbuf_dataptr(), packetbuf_datalen(), &from, &linkaddr_node_addr);
}

static uint8_t output(const linkaddr_t *to)
{
    (void)to;
    packetbuf_clear();
    memcpy(packetbuf_dataptr(), nullnet_buf, nullnet_len);
    packetbuf_set_datalen(nullnet_len);
    NETSTACK_MAC.send(NULL, NULL);
    return 1;
}

const struct network_driver nullnet_driver = {"nullnet", init, input, output};
