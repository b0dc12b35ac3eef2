/* RIOT sys/include/net/gnrc/netapi.h, compared with commit 2b6ed027, and a copy with _gnrc_netapi_send_recv. */
#ifndef RIOT_NET_GNRC_NETAPI_H
#define RIOT_NET_GNRC_NETAPI_H

#include "msg.h"
#include "net/gnrc/pkt.h"
#include "net/netopt.h"
#include "thread.h"

#define GNRC_NETAPI_MSG_TYPE_RCV 0x0201
#define GNRC_NETAPI_MSG_TYPE_SND 0x0202
#define GNRC_NETAPI_MSG_TYPE_GET 0x0204

typedef struct {
    netopt_t opt;
    uint16_t context;
    void *data;
    uint16_t data_len;
} gnrc_netapi_opt_t;

int _gnrc_netapi_send_recv(kernel_pid_t pid, gnrc_pktsnip_t *pkt, uint16_t type);
int gnrc_netapi_dispatch(gnrc_nettype_t type, uint32_t demux_ctx, uint16_t cmd, gnrc_pktsnip_t *pkt);
int gnrc_netapi_get(kernel_pid_t pid, netopt_t opt, uint16_t context, void *data, size_t max_len);
int gnrc_netapi_set(kernel_pid_t pid, netopt_t opt, uint16_t context, const void *data, size_t data_len);

#endif
