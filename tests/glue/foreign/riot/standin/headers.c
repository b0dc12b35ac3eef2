/** What layers call in other files: headers, checksum, next hop, compression, the MAC header. */
#include <string.h>

#include "net/gnrc/ipv6/hdr.h"
#include "net/gnrc/ipv6/nib.h"
#include "net/gnrc/pktbuf.h"
#include "net/gnrc/sixlowpan/iphc.h"
#include "net/gnrc/udp.h"
#include "net/ieee802154.h"
#include "standin.h"

#define IPV6_HEADER 40u
#define UDP_HEADER 8u
#define SIXLOWPAN_HEADER 6u /* IPHC and NHC of the reference firmware's addresses and ports: as long */

gnrc_pktsnip_t *gnrc_udp_hdr_build(gnrc_pktsnip_t *payload, uint16_t src, uint16_t dst)
{
    uint16_t length = (uint16_t)(UDP_HEADER + payload->size);
    const uint8_t header[UDP_HEADER] = { (uint8_t)(src >> 8), (uint8_t)src, (uint8_t)(dst >> 8), (uint8_t)dst,
                                         (uint8_t)(length >> 8), (uint8_t)length, 0, 0 };

    return gnrc_pktbuf_add(payload, header, sizeof header, GNRC_NETTYPE_UDP);
}

gnrc_pktsnip_t *gnrc_ipv6_hdr_build(gnrc_pktsnip_t *payload, const ipv6_addr_t *src, const ipv6_addr_t *dst)
{
    uint8_t header[IPV6_HEADER] = { 0x60, [6] = 17, [7] = 64 };
    size_t length = payload->size + (payload->next != NULL ? payload->next->size : 0);

    (void)src;
    (void)dst;
    header[4] = (uint8_t)(length >> 8);
    header[5] = (uint8_t)length;
    return gnrc_pktbuf_add(payload, header, sizeof header, GNRC_NETTYPE_IPV6);
}

int gnrc_udp_calc_csum(gnrc_pktsnip_t *hdr, gnrc_pktsnip_t *pseudo_hdr)
{
    (void)pseudo_hdr;
    ((uint8_t *)hdr->data)[6] = 0x12;
    return 0;
}

int gnrc_ipv6_nib_get_next_hop_l2addr(const ipv6_addr_t *dst, gnrc_netif_t *on, gnrc_pktsnip_t *pkt,
                                      gnrc_ipv6_nib_nc_t *nce)
{
    (void)dst;
    (void)on;
    (void)pkt;
    *nce = (gnrc_ipv6_nib_nc_t){ .l2addr = { 0, 2 }, .l2addr_len = 2 };
    return 0;
}

/* IPv6 and UDP header become one of 6 bytes; the interface gets it. */
void gnrc_sixlowpan_iphc_send(gnrc_pktsnip_t *pkt, void *ctx, unsigned page)
{
    static const uint8_t compressed[SIXLOWPAN_HEADER] = { 0x7e, 0x33, 0xf0 };
    gnrc_pktsnip_t *udp = pkt->next, *payload = udp->next;

    (void)ctx;
    (void)page;
    pkt->next = NULL;
    udp->next = NULL;
    gnrc_pktbuf_release(pkt);
    gnrc_pktbuf_release(udp);
    gnrc_netif_send(&netif, gnrc_pktbuf_add(payload, compressed, sizeof compressed, GNRC_NETTYPE_SIXLOWPAN));
}

/* RIOT's leaves the snip 8 bytes too long; so does this one, with bytes that are no id. */
void gnrc_sixlowpan_iphc_recv(gnrc_pktsnip_t *pkt, void *ctx, unsigned page)
{
    size_t payload = pkt->size - SIXLOWPAN_HEADER;
    gnrc_pktsnip_t *ipv6 = gnrc_pktbuf_add(NULL, NULL, IPV6_HEADER + UDP_HEADER + payload + 8, GNRC_NETTYPE_IPV6);
    uint8_t *bytes = ipv6->data;

    (void)ctx;
    (void)page;
    memset(bytes, 0, ipv6->size);
    bytes[0] = 0x60;
    bytes[5] = (uint8_t)(UDP_HEADER + payload);
    bytes[IPV6_HEADER + 2] = PORT >> 8;
    bytes[IPV6_HEADER + 3] = PORT & 0xff;
    memcpy(bytes + IPV6_HEADER + UDP_HEADER, (uint8_t *)pkt->data + SIXLOWPAN_HEADER, payload);
    memset(bytes + IPV6_HEADER + UDP_HEADER + payload, 0xdd, 8);
    gnrc_pktbuf_release(pkt);
    gnrc_netapi_dispatch(GNRC_NETTYPE_IPV6, 0, GNRC_NETAPI_MSG_TYPE_RCV, ipv6);
}

size_t ieee802154_set_frame_hdr(uint8_t *buf, const uint8_t *src, size_t src_len, const uint8_t *dst, size_t dst_len,
                                le_uint16_t src_pan, le_uint16_t dst_pan, uint8_t flags, uint8_t seq)
{
    (void)src_pan;
    memcpy(buf, (uint8_t[]){ flags, 0x88, seq, dst_pan.u8[0], dst_pan.u8[1] }, 5);
    memcpy(buf + 5, dst, dst_len);
    memcpy(buf + 5 + dst_len, src, src_len);
    return 5 + dst_len + src_len;
}
