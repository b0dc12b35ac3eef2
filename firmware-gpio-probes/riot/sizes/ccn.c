/** Asks for content by name, again and again. */
#include "ccn-lite-riot.h"
#include "net/gnrc/netif.h"

int main(void)
{
    static unsigned char interest[128];
    char name[] = "/riot/sizes";
    gnrc_netif_t *netif = gnrc_netif_iter(NULL);
    struct ccnl_prefix_s *prefix;

    ccnl_core_init();
    ccnl_start();
    if (netif == NULL || ccnl_open_netif(netif->pid, GNRC_NETTYPE_CCN) < 0) {
        return 1;
    }
    prefix = ccnl_URItoPrefix(name, CCNL_SUITE_NDNTLV, NULL);
    while (ccnl_send_interest(prefix, interest, sizeof interest, NULL) == 0) {
        ccnl_cs_remove(&ccnl_relay, name);
    }
    return 0;
}
