/* RIOT sys/include/net/gnrc/netreg.h: an entry by thread number. */
#ifndef RIOT_NET_GNRC_NETREG_H
#define RIOT_NET_GNRC_NETREG_H

#include "net/gnrc/nettype.h"
#include "sched.h"

#define GNRC_NETREG_DEMUX_CTX_ALL 0xffff0000

typedef struct gnrc_netreg_entry {
    struct gnrc_netreg_entry *next;
    uint32_t demux_ctx;
    union {
        kernel_pid_t pid;
    } target;
} gnrc_netreg_entry_t;

#define GNRC_NETREG_ENTRY_INIT_PID(context, thread) { .demux_ctx = (context), .target = { .pid = (thread) } }

int gnrc_netreg_register(gnrc_nettype_t type, gnrc_netreg_entry_t *entry);
void gnrc_netreg_unregister(gnrc_nettype_t type, gnrc_netreg_entry_t *entry);

#endif
