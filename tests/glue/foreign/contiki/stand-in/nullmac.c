/** Stand-in for os/net/mac/nullmac: its functions are empty there, too. */
#include "net/netstack.h"

static void nothing(void)
{
}

static void send_packet(mac_callback_t sent, void *ptr)
{
    (void)sent;
    (void)ptr;
}

static int zero(void)
{
    return 0;
}

const struct mac_driver nullmac_driver = {"nullmac", nothing, send_packet, nothing, zero, zero, zero};
