/** Stand-in for os/contiki-main.c. */
#include "lib/random.h"
#include "net/ipv6/uip-ds6.h"
#include "net/netstack.h"
#include "sys/platform.h"

#if NETSTACK_CONF_WITH_IPV6
PROCESS_NAME(tcpip_process);
#endif
void etimers_expire(void);
int main(void);

linkaddr_t linkaddr_node_addr = {.u8 = {2, 0, 0, 0, 0, 0, 0, 1}};

void random_init(unsigned short seed)
{
    (void)seed;
}

int main(void)
{
    platform_init_stage_one();
    process_init();
    NETSTACK_RADIO.init();
    NETSTACK_MAC.init();
    NETSTACK_NETWORK.init();
#if NETSTACK_CONF_WITH_IPV6
    uip_ds6_init();
    process_start(&tcpip_process, NULL);
#endif
    for (unsigned at = 0; autostart_processes[at] != NULL; at++) {
        process_start(autostart_processes[at], NULL);
    }
    for (;;) {
        etimers_expire();
        while (process_run() > 0) {
        }
        platform_idle();
    }
}
