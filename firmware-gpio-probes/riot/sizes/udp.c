/** Sends a datagram and waits for one, again and again: to itself, or to all nodes of the link. */
#include "net/sock/udp.h"

enum { PORT = 0xf0b0, PAYLOAD = 20 };

#ifdef STACK_IS_reflector
void reflector_init(void);
#endif

int main(void)
{
    const sock_udp_ep_t local = { .family = AF_INET6, .port = PORT };
    sock_udp_ep_t remote = { .family = AF_INET6, .port = PORT };
    sock_udp_t sock;
    uint8_t payload[PAYLOAD] = { 0 };

#ifdef STACK_IS_reflector
    reflector_init();
#endif
#ifdef STACK_IS_loopback
    remote.addr.ipv6[15] = 1; /* ::1 */
#else
    remote.addr.ipv6[0] = 0xff; /* ff02::1 */
    remote.addr.ipv6[1] = 0x02;
    remote.addr.ipv6[15] = 1;
#endif
    if (sock_udp_create(&sock, &local, NULL, 0) != 0) {
        return 1;
    }
    while (sock_udp_send(&sock, payload, sizeof payload, &remote) > 0) {
        sock_udp_recv(&sock, payload, sizeof payload, SOCK_NO_TIMEOUT, &remote);
    }
    return 0;
}
