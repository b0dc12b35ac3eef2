/* RIOT sys/include/net/netopt.h: the options used, in another order than there. */
#ifndef RIOT_NET_NETOPT_H
#define RIOT_NET_NETOPT_H

typedef enum {
    NETOPT_CHANNEL,
    NETOPT_NID,
    NETOPT_ADDRESS,
    NETOPT_ADDRESS_LONG,
    NETOPT_IPV6_ADDR,
    NETOPT_IPV6_ADDR_REMOVE,
    NETOPT_SRC_LEN,
    NETOPT_STATE,
    NETOPT_CSMA,
    NETOPT_CSMA_MAXBE,
    NETOPT_CSMA_MINBE,
    NETOPT_ACK_REQ,
    NETOPT_AUTOACK,
    NETOPT_RX_END_IRQ,
} netopt_t;

typedef enum { NETOPT_DISABLE = 0, NETOPT_ENABLE = 1 } netopt_enable_t;

typedef enum {
    NETOPT_STATE_OFF = 0,
    NETOPT_STATE_SLEEP,
    NETOPT_STATE_IDLE,
    NETOPT_STATE_RX,
    NETOPT_STATE_TX,
    NETOPT_STATE_RESET,
    NETOPT_STATE_STANDBY,
} netopt_state_t;

#endif
