/** Inside the layers: headers, checksum, next hop, compression, fragments, the MAC header. */
#include "gpiorig_riot.h"

/** Declares a function's original and its wrapper; both have the signature of RIOT's header. */
#define WRAP(result, name, ...)          \
    result __real_##name(__VA_ARGS__);   \
    result __wrap_##name(__VA_ARGS__);   \
    result __wrap_##name(__VA_ARGS__)

#ifdef MODULE_GNRC_UDP
#include "net/gnrc/udp.h"

WRAP(gnrc_pktsnip_t *, gnrc_udp_hdr_build, gnrc_pktsnip_t *payload, uint16_t source, uint16_t destination)
{
    uint16_t id = gpiorig_sent_id(payload);
    gnrc_pktsnip_t *header;

    GPIORIG_ENTER_ID(UDP_HEADER, id);
    header = __real_gnrc_udp_hdr_build(payload, source, destination);
    GPIORIG_EXIT_ID(UDP_HEADER, id);
    return header;
}

/* Runs in IPv6's thread. */
WRAP(int, gnrc_udp_calc_csum, gnrc_pktsnip_t *header, gnrc_pktsnip_t *pseudo_header)
{
    uint16_t id = gpiorig_sent_id(header);
    int result;

    GPIORIG_ENTER_ID(UDP_CHECKSUM, id);
    result = __real_gnrc_udp_calc_csum(header, pseudo_header);
    GPIORIG_EXIT_ID(UDP_CHECKSUM, id);
    return result;
}
#endif

#ifdef MODULE_GNRC_IPV6_HDR
#include "net/gnrc/ipv6/hdr.h"

WRAP(gnrc_pktsnip_t *, gnrc_ipv6_hdr_build, gnrc_pktsnip_t *payload, const ipv6_addr_t *source,
     const ipv6_addr_t *destination)
{
    uint16_t id = gpiorig_sent_id(payload);
    gnrc_pktsnip_t *header;

    GPIORIG_ENTER_ID(IPV6_HEADER, id);
    header = __real_gnrc_ipv6_hdr_build(payload, source, destination);
    GPIORIG_EXIT_ID(IPV6_HEADER, id);
    return header;
}
#endif

#ifdef MODULE_GNRC_IPV6_NIB
#include "net/gnrc/ipv6/nib.h"

WRAP(int, gnrc_ipv6_nib_get_next_hop_l2addr, const ipv6_addr_t *destination, gnrc_netif_t *netif,
     gnrc_pktsnip_t *packet, gnrc_ipv6_nib_nc_t *neighbour)
{
    uint16_t id = gpiorig_sent_id(packet);
    int result;

    GPIORIG_ENTER_ID(IPV6_NEXT_HOP, id);
    result = __real_gnrc_ipv6_nib_get_next_hop_l2addr(destination, netif, packet, neighbour);
    GPIORIG_EXIT_ID(IPV6_NEXT_HOP, id);
    return result;
}
#endif

#ifdef MODULE_GNRC_SIXLOWPAN_IPHC
#include "net/gnrc/sixlowpan/iphc.h"

WRAP(void, gnrc_sixlowpan_iphc_send, gnrc_pktsnip_t *packet, void *context, unsigned page)
{
    uint16_t id = gpiorig_sent_id(packet);

    GPIORIG_ENTER_ID(SIXLOWPAN_COMPRESS, id);
    __real_gnrc_sixlowpan_iphc_send(packet, context, page);
    GPIORIG_EXIT_ID(SIXLOWPAN_COMPRESS, id);
}

WRAP(void, gnrc_sixlowpan_iphc_recv, gnrc_pktsnip_t *packet, void *context, unsigned page)
{
    uint16_t id = gpiorig_received_id(packet);

    GPIORIG_ENTER_ID(SIXLOWPAN_DECOMPRESS, id);
    __real_gnrc_sixlowpan_iphc_recv(packet, context, page);
    GPIORIG_EXIT_ID(SIXLOWPAN_DECOMPRESS, id);
}
#endif

#ifdef MODULE_GNRC_SIXLOWPAN_FRAG
#include "net/gnrc/sixlowpan/frag.h"

/* From the second fragment on there is no packet at hand, only its entry in the fragmentation buffer. */
WRAP(void, gnrc_sixlowpan_frag_send, gnrc_pktsnip_t *packet, void *context, unsigned page)
{
    uint16_t id = gpiorig_sent_id(packet);

    if (packet == NULL) {
        GPIORIG_ENTER(SIXLOWPAN_FRAGMENT);
    } else {
        GPIORIG_ENTER_ID(SIXLOWPAN_FRAGMENT, id);
    }
    __real_gnrc_sixlowpan_frag_send(packet, context, page);
    GPIORIG_EXIT(SIXLOWPAN_FRAGMENT);
}

WRAP(void, gnrc_sixlowpan_frag_recv, gnrc_pktsnip_t *packet, void *context, unsigned page)
{
    uint16_t id = gpiorig_received_id(packet);

    GPIORIG_ENTER_ID(SIXLOWPAN_REASSEMBLE, id);
    __real_gnrc_sixlowpan_frag_recv(packet, context, page);
    GPIORIG_EXIT_ID(SIXLOWPAN_REASSEMBLE, id);
}
#endif

#ifdef MODULE_IEEE802154
#include "net/ieee802154.h"

/* The number that the frame has on the air, for whoever reads it from there. */
WRAP(size_t, ieee802154_set_frame_hdr, uint8_t *header, const uint8_t *source, size_t source_length,
     const uint8_t *destination, size_t destination_length, le_uint16_t source_pan, le_uint16_t destination_pan,
     uint8_t flags, uint8_t sequence)
{
    GPIORIG_EVENT_ID(MAC_SEQUENCE, sequence);
    return __real_ieee802154_set_frame_hdr(header, source, source_length, destination, destination_length, source_pan,
                                           destination_pan, flags, sequence);
}
#endif
