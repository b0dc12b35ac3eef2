/* RIOT sys/include/iolist.h: iolist_t. A gnrc_pktsnip_t begins with the same three members. */
#ifndef RIOT_IOLIST_H
#define RIOT_IOLIST_H

#include <stddef.h>

typedef struct iolist {
    struct iolist *iol_next;
    void *iol_base;
    size_t iol_len;
} iolist_t;

#endif
