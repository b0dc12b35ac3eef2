/** Fragments. Packets fit a frame here, so none of these runs; that they are called is what the linker needs to see. */
#include "net/gnrc/sixlowpan/frag.h"
#include "net/gnrc/sixlowpan/iphc.h"

void gnrc_sixlowpan_frag_send(gnrc_pktsnip_t *pkt, void *ctx, unsigned page)
{
    gnrc_sixlowpan_iphc_send(pkt, ctx, page);
}

void gnrc_sixlowpan_frag_recv(gnrc_pktsnip_t *pkt, void *ctx, unsigned page)
{
    gnrc_sixlowpan_iphc_recv(pkt, ctx, page);
}
