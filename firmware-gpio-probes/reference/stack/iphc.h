/**
 * Header compression of RFC 6282: LOWPAN_IPHC for IPv6 and LOWPAN_NHC for UDP, stateless (no contexts). Addresses that
 * follow from an 802.15.4 short address are elided.
 */
#ifndef IPHC_H
#define IPHC_H

#include <stdint.h>

#include "inet.h"

#define IPHC_LENGTH_MAX (2u + 4u + 1u + 1u + 32u + 7u) /* all fields inline */

/**
 * Compresses an IPv6 header, and the UDP header after it when there is one.
 *
 * headers: the IPv6 header, followed by the UDP header if its next header names it
 * source, destination: short addresses of the frame
 * out: room for IPHC_LENGTH_MAX bytes
 * used: how many bytes of `headers` the output stands for, 40 or 48
 * Returns the length of the output.
 */
uint8_t iphc_compress(const uint8_t *headers, uint16_t source, uint16_t destination, uint8_t *out, uint8_t *used);

/**
 * The way back.
 *
 * in, length: the compressed headers and all that follows them, as many bytes as the frame has
 * out: room for 48 bytes
 * used: how many bytes of `in` the output stands for
 * Returns the length of the output, 40 or 48; 0 for what is not IPHC, is cut short, or needs a context.
 */
uint8_t iphc_decompress(const uint8_t *in, uint8_t length, uint16_t source, uint16_t destination, uint8_t *out,
                        uint8_t *used);

#endif
