/** What the glue uses of Contiki-NG 5.0's os/net/netstack.h (01809bb4). Declarations only, written for these tests. */
#ifndef NET_NETSTACK_H
#define NET_NETSTACK_H

#include "contiki.h"
#include "dev/radio.h"
#include "net/linkaddr.h"
#include "net/mac/mac.h"

#define NETSTACK_RADIO NETSTACK_CONF_RADIO
#if MAC_CONF_WITH_TSCH
#define NETSTACK_MAC tschmac_driver
#elif MAC_CONF_WITH_NULLMAC
#define NETSTACK_MAC nullmac_driver
#else
#define NETSTACK_MAC csma_driver
#endif
#if NETSTACK_CONF_WITH_IPV6
#define NETSTACK_NETWORK sicslowpan_driver
#else
#define NETSTACK_NETWORK nullnet_driver
#endif

struct network_driver {
    char *name;
    void (*init)(void);
    void (*input)(void);
    uint8_t (*output)(const linkaddr_t *localdest);
};

extern const struct network_driver NETSTACK_NETWORK;
extern const struct mac_driver NETSTACK_MAC;
extern const struct radio_driver NETSTACK_RADIO;

enum netstack_ip_action { NETSTACK_IP_PROCESS, NETSTACK_IP_DROP };
enum netstack_ip_callback_type { NETSTACK_IP_INPUT, NETSTACK_IP_OUTPUT };

struct netstack_ip_packet_processor {
    struct netstack_ip_packet_processor *next;
    enum netstack_ip_action (*process_input)(void);
    enum netstack_ip_action (*process_output)(const linkaddr_t *localdest);
};

enum netstack_ip_action netstack_process_ip_callback(uint8_t type, const linkaddr_t *localdest);
void netstack_ip_packet_processor_add(struct netstack_ip_packet_processor *p);

#endif
