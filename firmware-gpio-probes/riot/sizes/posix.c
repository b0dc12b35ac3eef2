/** Sends a datagram and waits for one, again and again, as udp.c does, through POSIX sockets. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { PORT = 0xf0b0, PAYLOAD = 20 };

int main(void)
{
    struct sockaddr_in6 remote = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
    const struct sockaddr_in6 local = remote;
    socklen_t length = sizeof remote;
    char payload[PAYLOAD] = { 0 };
    int sock = socket(AF_INET6, SOCK_DGRAM, IPPROTO_UDP);

    remote.sin6_addr.s6_addr[0] = 0xff; /* ff02::1 */
    remote.sin6_addr.s6_addr[1] = 0x02;
    remote.sin6_addr.s6_addr[15] = 1;
    if (bind(sock, (const struct sockaddr *)&local, sizeof local) < 0) {
        return 1;
    }
    while (sendto(sock, payload, sizeof payload, 0, (struct sockaddr *)&remote, length) > 0) {
        recvfrom(sock, payload, sizeof payload, 0, (struct sockaddr *)&remote, &length);
    }
    return 0;
}
