/**
 * GNRC on the PC, with the limits of RIOT c8bd52ff that an application meets: one node a process, its air the datagram
 * sockets of the folder it runs in. An interface holds two IPv6 addresses, one of them its own of the boot, and refuses a
 * third (gnrc_netif_ipv6_addr_add_internal); what is sent has the first of them as its source; the link-layer address of a
 * destination is the EUI-64 of its interface identifier, whatever that came from (l2util_ipv6_iid_to_addr); and a node takes
 * the frames to its own link-layer address alone, of them the packets to one of its own IPv6 addresses.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/gnrc/netif.h"
#include "net/sock/udp.h"
#include "random.h"
#include "at86rf2xx.h"
#include "ztimer.h"

#define LONG 8u
#define MULTICAST 0xffu
#define UNIVERSAL 0x02u

static at86rf2xx_t radio;
static gnrc_netif_t netif = { .pid = 1, .dev = &radio.netdev.netdev };
static uint8_t address_long[LONG];
static ipv6_addr_t addresses[CONFIG_GNRC_NETIF_IPV6_ADDRS_NUMOF];
static bool used[CONFIG_GNRC_NETIF_IPV6_ADDRS_NUMOF];

struct frame {
    uint8_t to[LONG]; /* all ones: a broadcast */
    ipv6_addr_t source, destination;
    uint8_t payload[1024];
};

void posix_request(uint16_t sequence);
void posix_request(uint16_t sequence)
{
    (void)sequence; /* requests come from another node here */
}

void random_init(uint32_t seed)
{
    (void)seed;
}

/** Prints the exponents when they change. */
void at86rf2xx_set_csma_backoff_exp(const at86rf2xx_t *dev, uint8_t min, uint8_t max)
{
    static uint8_t least = 3, most = 5; /* AT86RF231 data sheet 8111C, 11.5.4: CSMA_BE after reset */

    if (dev == &radio && (min != least || max != most)) {
        least = min;
        most = max;
        printf("radio backoff %u to %u\n", least, most);
    }
}

/** Its own address, from a long one that no other node has. */
__attribute__((constructor)) static void boot(void)
{
    address_long[7] = (uint8_t)getpid();
    address_long[6] = (uint8_t)(getpid() >> 8);
    address_long[0] = 0x10;
    addresses[0] = (ipv6_addr_t){ .u8 = { 0xfe, 0x80 } };
    memcpy(addresses[0].u8 + 8, address_long, LONG);
    addresses[0].u8[8] ^= UNIVERSAL;
    used[0] = true;
}

gnrc_netif_t *gnrc_netif_iter(const gnrc_netif_t *prev)
{
    return prev == NULL ? &netif : NULL;
}

/** Where an address is; with NULL where there is room; -1: nowhere. */
static int place(const ipv6_addr_t *address)
{
    for (int at = 0; at < CONFIG_GNRC_NETIF_IPV6_ADDRS_NUMOF; at++) {
        if (address == NULL ? !used[at] : used[at] && memcmp(&addresses[at], address, sizeof *address) == 0) {
            return at;
        }
    }
    return -1;
}

static int add(const ipv6_addr_t *address)
{
    int at = place(address) >= 0 ? place(address) : place(NULL);

    if (at < 0) {
        return -ENOMEM;
    }
    addresses[at] = *address;
    used[at] = true;
    return (int)sizeof *address;
}

int gnrc_netapi_set(kernel_pid_t pid, netopt_t opt, uint16_t context, const void *data, size_t data_len)
{
    (void)pid;
    (void)context;
    switch (opt) {
    case NETOPT_ADDRESS_LONG:
        memcpy(address_long, data, sizeof address_long);
        break;
    case NETOPT_IPV6_ADDR:
        return add(data);
    case NETOPT_IPV6_ADDR_REMOVE:
        if (place(data) >= 0) {
            used[place(data)] = false;
        }
        break;
    case NETOPT_ADDRESS:
    case NETOPT_SRC_LEN:
    case NETOPT_CHANNEL:
    case NETOPT_NID:
    case NETOPT_CSMA:
    case NETOPT_ACK_REQ:
        break;
    default: /* of drivers/at86rf2xx: the exponents of the backoff too */
        return -ENOTSUP;
    }
    return (int)data_len;
}

int gnrc_netapi_get(kernel_pid_t pid, netopt_t opt, uint16_t context, void *data, size_t max_len)
{
    size_t length = 0;

    (void)pid;
    (void)context;
    if (opt != NETOPT_IPV6_ADDR) {
        return -ENOTSUP;
    }
    for (unsigned at = 0; at < CONFIG_GNRC_NETIF_IPV6_ADDRS_NUMOF; at++) {
        if (used[at] && length + sizeof addresses[at] <= max_len) {
            memcpy((uint8_t *)data + length, &addresses[at], sizeof addresses[at]);
            length += sizeof addresses[at];
        }
    }
    return length == 0 ? -ENOTSUP : (int)length;
}

/** A node's socket of a port is a file of that name. */
static struct sockaddr_un name_of(int node, uint16_t port)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };

    snprintf(name.sun_path, sizeof name.sun_path, "%d-%u", node, port);
    return name;
}

int sock_udp_create(sock_udp_t *sock, const sock_udp_ep_t *local, const sock_udp_ep_t *remote, uint16_t flags)
{
    struct sockaddr_un name = name_of(getpid(), local->port);

    (void)remote;
    (void)flags;
    sock->port = local->port;
    sock->file = socket(AF_UNIX, SOCK_DGRAM, 0);
    return bind(sock->file, (struct sockaddr *)&name, sizeof name);
}

/** To every other node that has a socket of the port: the air carries a frame everywhere. */
static void radiate(const sock_udp_t *sock, const struct frame *frame, size_t length, uint16_t port)
{
    DIR *air = opendir(".");

    for (const struct dirent *file = readdir(air); file != NULL; file = readdir(air)) {
        struct sockaddr_un name = name_of(atoi(file->d_name), port);

        if (atoi(file->d_name) != getpid() && strcmp(file->d_name, name.sun_path) == 0) {
            sendto(sock->file, frame, length, 0, (struct sockaddr *)&name, sizeof name);
        }
    }
    closedir(air);
}

ssize_t sock_udp_sendv_aux(sock_udp_t *sock, const iolist_t *snips, const sock_udp_ep_t *remote, sock_udp_aux_tx_t *aux)
{
    struct frame frame;

    (void)aux;
    if (!used[0] && !used[1]) {
        return -EADDRNOTAVAIL;
    }
    frame.source = addresses[used[0] ? 0 : 1];
    memcpy(&frame.destination, remote->addr.ipv6, sizeof frame.destination);
    if (frame.destination.u8[0] == MULTICAST) {
        memset(frame.to, 0xff, LONG);
    } else {
        memcpy(frame.to, frame.destination.u8 + 8, LONG);
        frame.to[0] ^= UNIVERSAL;
    }
    memcpy(frame.payload, snips->iol_base, snips->iol_len);
    radiate(sock, &frame, offsetof(struct frame, payload) + snips->iol_len, remote->port);
    return (ssize_t)snips->iol_len;
}

static bool is_for_us(const struct frame *frame)
{
    static const uint8_t all[LONG] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

    if (frame->destination.u8[0] == MULTICAST) {
        return memcmp(frame->to, all, LONG) == 0;
    }
    return memcmp(frame->to, address_long, LONG) == 0 && place(&frame->destination) >= 0;
}

ssize_t sock_udp_recv_aux(sock_udp_t *sock, void *data, size_t max_len, uint32_t timeout, sock_udp_ep_t *remote,
                          sock_udp_aux_rx_t *aux)
{
    uint32_t since_us = ztimer_now(ZTIMER_USEC);
    struct pollfd waiting = { .fd = sock->file, .events = POLLIN };

    (void)aux;
    for (;;) {
        uint32_t waited_us = ztimer_now(ZTIMER_USEC) - since_us;
        int left_ms = timeout == SOCK_NO_TIMEOUT ? -1 : waited_us > timeout ? 0 : (int)((timeout - waited_us) / 1000);
        struct frame frame;
        ssize_t length;

        if (poll(&waiting, 1, left_ms) != 1) {
            return timeout == 0 ? -EAGAIN : -ETIMEDOUT;
        }
        length = recv(sock->file, &frame, sizeof frame, 0) - (ssize_t)offsetof(struct frame, payload);
        if (length <= 0 || !is_for_us(&frame)) {
            continue;
        }
        if ((size_t)length > max_len) {
            return -ENOBUFS;
        }
        memcpy(data, frame.payload, (size_t)length);
        if (remote != NULL) {
            memcpy(remote->addr.ipv6, &frame.source, sizeof frame.source);
        }
        return length;
    }
}
