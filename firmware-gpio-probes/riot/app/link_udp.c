/** Over UDP. Both ports are of the 16 that 6LoWPAN compresses to 4 bits (RFC 6282 4.3.1). */
#include "link.h"

#include <string.h>

#include "link_gnrc.h"
#include "net/sock/udp.h"

static const uint16_t ports[] = { [LINK_REQUESTS] = 0xf0b0, [LINK_REPLIES] = 0xf0b1 };
static sock_udp_t socks[2];

/** The link-local address that follows from a short one: fe80::ff:fe00:XXXX (RFC 6282 3.2.2). */
static void link_local(uint8_t bytes[16], uint16_t address)
{
    static const uint8_t prefix[14] = { 0xfe, 0x80, [11] = 0xff, 0xfe };

    memcpy(bytes, prefix, sizeof prefix);
    bytes[14] = (uint8_t)(address >> 8);
    bytes[15] = (uint8_t)address;
}

bool link_init(void)
{
    for (unsigned end = 0; end < 2; end++) {
        const sock_udp_ep_t local = { .family = AF_INET6, .port = ports[end] };

        if (sock_udp_create(&socks[end], &local, NULL, 0) != 0) {
            return false;
        }
    }
    return gnrc_netif_iter(NULL) != NULL;
}

void link_open(enum link_end end)
{
    uint8_t old[1];
    ssize_t result;

    do { /* what came while no call was reading */
        result = sock_udp_recv(&socks[end], old, sizeof old, 0, NULL);
    } while (result > 0 || result == -ENOBUFS || result == -EPROTO);
}

void link_close(enum link_end end)
{
    (void)end;
}

bool link_send(uint16_t to, const uint8_t *payload, uint16_t length)
{
    sock_udp_ep_t remote = { .family = AF_INET6, .port = ports[link_end_of(payload[0])] };

    remote.netif = (uint16_t)gnrc_netif_iter(NULL)->pid;
    if (to == LINK_BROADCAST) {
        remote.addr.ipv6[0] = 0xff; /* ff02::1, all nodes of the link */
        remote.addr.ipv6[1] = 0x02;
        remote.addr.ipv6[15] = 0x01;
    } else {
        link_local(remote.addr.ipv6, to);
    }
    return sock_udp_send(&socks[LINK_REQUESTS], payload, length, &remote) > 0;
}

uint16_t link_receive(enum link_end end, uint8_t *payload, uint16_t size, uint32_t timeout_us, uint16_t *from)
{
    sock_udp_ep_t remote;
    ssize_t length =
        sock_udp_recv(&socks[end], payload, size, timeout_us == LINK_FOREVER ? SOCK_NO_TIMEOUT : timeout_us, &remote);

    if (length <= 0) {
        return 0;
    }
    *from = (uint16_t)(remote.addr.ipv6[14] << 8 | remote.addr.ipv6[15]);
    return (uint16_t)length;
}

/**
 * Leaves the interface with this address alone: it has room for two, and its own of the boot would be the source of what
 * is sent. Adding an address that is there changes nothing.
 */
static bool set_only_address(uint16_t short_address)
{
    const gnrc_netif_t *netif = gnrc_netif_iter(NULL);
    ipv6_addr_t address, old[CONFIG_GNRC_NETIF_IPV6_ADDRS_NUMOF];
    int size = gnrc_netif_ipv6_addrs_get(netif, old, sizeof old);

    link_local(address.u8, short_address);
    for (int at = 0; at < size / (int)sizeof old[0]; at++) {
        if (memcmp(&old[at], &address, sizeof address) != 0) {
            gnrc_netif_ipv6_addr_remove(netif, &old[at]);
        }
    }
    return gnrc_netif_ipv6_addr_add(netif, &address, 64, GNRC_NETIF_IPV6_ADDRS_FLAGS_STATE_VALID) >= 0;
}

bool link_configure(void)
{
    return interface_configure() && set_only_address((uint16_t)settings.address);
}
