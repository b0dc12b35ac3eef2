/** Facts of IPv6 and UDP that several layers need: header layout, link-local addresses, the checksum. */
#ifndef INET_H
#define INET_H

#include <stdbool.h>
#include <stdint.h>

/* RFC 8200 section 3 */
#define IPV6_HEADER_LENGTH 40u
#define IPV6_PAYLOAD_LENGTH 4u /* offsets in the header */
#define IPV6_NEXT_HEADER 6u
#define IPV6_HOP_LIMIT 7u
#define IPV6_SOURCE 8u
#define IPV6_DESTINATION 24u
#define IPV6_ADDRESS_LENGTH 16u
#define NEXT_HEADER_UDP 17u

/* RFC 768 */
#define UDP_HEADER_LENGTH 8u
#define UDP_SOURCE_PORT 0u
#define UDP_DESTINATION_PORT 2u
#define UDP_LENGTH 4u
#define UDP_CHECKSUM 6u

/** The link-local address of an 802.15.4 short address: fe80::ff:fe00:XXXX (RFC 6282 3.2.2). */
void inet_link_local(uint8_t address[IPV6_ADDRESS_LENGTH], uint16_t short_address);

/** True when `address` is that one. */
bool inet_is_link_local(const uint8_t address[IPV6_ADDRESS_LENGTH], uint16_t short_address);

/** The address that stands for a short one: of 0xFFFF all nodes of the link, ff02::1 (RFC 4291 2.7.1); else as above. */
void inet_address(uint8_t address[IPV6_ADDRESS_LENGTH], uint16_t short_address);
bool inet_is_address(const uint8_t address[IPV6_ADDRESS_LENGTH], uint16_t short_address);

/**
 * The UDP checksum over pseudo header and datagram (RFC 8200 8.1), never 0. With the checksum field zeroed it is the
 * value for the field; over a datagram that came with a right one it is 0xFFFF.
 */
uint16_t inet_udp_checksum(const uint8_t source[IPV6_ADDRESS_LENGTH], const uint8_t destination[IPV6_ADDRESS_LENGTH],
                           const uint8_t *datagram, uint16_t length);

#endif
