/** Where the number of a packet is at each layer. Byte by byte: the packet buffer is packed. */
#include "gpiorig_riot.h"

#ifdef MODULE_GNRC_NETAPI
#include "net/gnrc/netapi.h"
#endif

uint16_t gpiorig_bytes_id(const void *bytes, size_t length)
{
    const uint8_t *end = (const uint8_t *)bytes + length;

    return length < 2 ? 0 : (uint16_t)(end[-2] << 8 | end[-1]);
}

uint16_t gpiorig_list_id(const iolist_t *list)
{
    const iolist_t *last = NULL;

    for (; list != NULL; list = list->iol_next) {
        last = list->iol_len > 0 ? list : last;
    }
    return last == NULL ? 0 : gpiorig_bytes_id(last->iol_base, last->iol_len);
}

#ifdef MODULE_GNRC_NETAPI

#define IPV6_HEADER 40u /* RFC 8200 3; bytes 4 and 5 are the length of what follows it */

uint16_t gpiorig_sent_id(const gnrc_pktsnip_t *packet)
{
    while (packet != NULL && packet->next != NULL) {
        packet = packet->next;
    }
    return packet == NULL ? 0 : gpiorig_bytes_id(packet->data, packet->size);
}

/*
 * 6LoWPAN's decompression leaves the snip 8 bytes too long when it restores a UDP header as well (seen in RIOT
 * c8bd52ff, native64). So between 6LoWPAN and IPv6 the length is that of the IPv6 header.
 */
uint16_t gpiorig_received_id(const gnrc_pktsnip_t *packet)
{
    const uint8_t *bytes;
    size_t length;

    if (packet == NULL) {
        return 0;
    }
    bytes = packet->data;
    length = packet->size;
#ifdef MODULE_GNRC_NETTYPE_IPV6
    if (packet->type == GNRC_NETTYPE_IPV6 && length >= IPV6_HEADER) {
        size_t stated = IPV6_HEADER + (size_t)(bytes[4] << 8 | bytes[5]);

        length = stated < length ? stated : length;
    }
#endif
    return gpiorig_bytes_id(bytes, length);
}

uint16_t gpiorig_message_id(uint16_t type, const gnrc_pktsnip_t *packet)
{
    return type == GNRC_NETAPI_MSG_TYPE_SND ? gpiorig_sent_id(packet) : gpiorig_received_id(packet);
}

bool gpiorig_carries_packet(const msg_t *message)
{
    return (message->type == GNRC_NETAPI_MSG_TYPE_SND || message->type == GNRC_NETAPI_MSG_TYPE_RCV) &&
           message->content.ptr != NULL;
}

#endif
