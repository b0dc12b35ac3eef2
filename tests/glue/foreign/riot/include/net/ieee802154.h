/* RIOT sys/include/net/ieee802154.h: ieee802154_set_frame_hdr and what the raw application builds frames with. */
#ifndef RIOT_NET_IEEE802154_H
#define RIOT_NET_IEEE802154_H

#include <stddef.h>
#include <stdint.h>

#include "byteorder.h"

#define IEEE802154_FCF_TYPE_DATA 0x01
#define IEEE802154_FCF_ACK_REQ 0x20
#define IEEE802154_FCF_PAN_COMP 0x40
#define IEEE802154_BCAST 0x80
#define IEEE802154_MAX_HDR_LEN 23
#define IEEE802154_SHORT_ADDRESS_LEN 2

size_t ieee802154_set_frame_hdr(uint8_t *buf, const uint8_t *src, size_t src_len, const uint8_t *dst, size_t dst_len,
                                le_uint16_t src_pan, le_uint16_t dst_pan, uint8_t flags, uint8_t seq);
size_t ieee802154_get_frame_hdr_len(const uint8_t *mhr);
int ieee802154_get_src(const uint8_t *mhr, uint8_t *src, le_uint16_t *src_pan);

#endif
