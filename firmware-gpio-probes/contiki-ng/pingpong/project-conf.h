/** Contiki-NG's configuration for the ping-pong. */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

/* As the reference firmware: channel 26, PAN 0x6770. */
#define IEEE802154_CONF_DEFAULT_CHANNEL 26
#define IEEE802154_CONF_PANID 0x6770

/* Nothing but the ping-pong: no logs, no TCP. */
#define LOG_CONF_LEVEL_IPV6 LOG_LEVEL_NONE
#define LOG_CONF_LEVEL_6LOWPAN LOG_LEVEL_NONE
#define LOG_CONF_LEVEL_TCPIP LOG_LEVEL_NONE
#define LOG_CONF_LEVEL_MAC LOG_LEVEL_NONE
#define LOG_CONF_LEVEL_FRAMER LOG_LEVEL_NONE
#define LOG_CONF_LEVEL_MAIN LOG_LEVEL_NONE
#define UIP_CONF_TCP 0

/* A node knows its peer's link-layer address from the IPv6 address, and does not ask: without routing, neighbour discovery
 * does not resolve, and the node's own address stays tentative (seen with Contiki-NG 4.4). */
#define UIP_CONF_ND6_SEND_NS 0
#define UIP_CONF_ND6_AUTOFILL_NBR_CACHE 1

#endif
