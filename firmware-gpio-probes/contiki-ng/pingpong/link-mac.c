/** Over the MAC alone, by nullnet: no IPv6, no UDP. */
#include "link.h"

#include "net/netstack.h"
#include "net/nullnet/nullnet.h"

/* Of nullnet.c; not every release declares them in the header. */
extern uint8_t *nullnet_buf;
extern uint16_t nullnet_len;

static link_received *take;

static void received(const void *data, uint16_t length, const linkaddr_t *from, const linkaddr_t *to)
{
    (void)to;
    take(data, length, from);
}

void link_open(link_received *to)
{
    take = to;
    nullnet_set_input_callback(received);
}

void link_address(void)
{
}

void link_send(const uint8_t *payload, uint16_t length, const linkaddr_t *to)
{
    nullnet_buf = (uint8_t *)payload;
    nullnet_len = length;
    NETSTACK_NETWORK.output(to);
}
