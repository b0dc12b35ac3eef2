#include "inet.h"

#include <string.h>

void inet_link_local(uint8_t address[IPV6_ADDRESS_LENGTH], uint16_t short_address)
{
    static const uint8_t prefix[14] = { 0xfe, 0x80, [11] = 0xff, 0xfe, 0x00 };

    memcpy(address, prefix, sizeof prefix);
    address[14] = (uint8_t)(short_address >> 8);
    address[15] = (uint8_t)short_address;
}

bool inet_is_link_local(const uint8_t address[IPV6_ADDRESS_LENGTH], uint16_t short_address)
{
    uint8_t expected[IPV6_ADDRESS_LENGTH];

    inet_link_local(expected, short_address);
    return memcmp(address, expected, sizeof expected) == 0;
}

void inet_address(uint8_t address[IPV6_ADDRESS_LENGTH], uint16_t short_address)
{
    static const uint8_t all_nodes[IPV6_ADDRESS_LENGTH] = { 0xff, 0x02, [15] = 0x01 };

    if (short_address == 0xFFFFu) {
        memcpy(address, all_nodes, sizeof all_nodes);
    } else {
        inet_link_local(address, short_address);
    }
}

bool inet_is_address(const uint8_t address[IPV6_ADDRESS_LENGTH], uint16_t short_address)
{
    uint8_t expected[IPV6_ADDRESS_LENGTH];

    inet_address(expected, short_address);
    return memcmp(address, expected, sizeof expected) == 0;
}

static uint32_t add(uint32_t sum, const uint8_t *bytes, uint16_t length)
{
    for (uint16_t i = 0; i + 1 < length; i = (uint16_t)(i + 2)) {
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    }
    if (length % 2 != 0) {
        sum += (uint32_t)bytes[length - 1] << 8;
    }
    return sum;
}

uint16_t inet_udp_checksum(const uint8_t source[IPV6_ADDRESS_LENGTH], const uint8_t destination[IPV6_ADDRESS_LENGTH],
                           const uint8_t *datagram, uint16_t length)
{
    uint32_t sum = (uint32_t)length + NEXT_HEADER_UDP;

    sum = add(sum, source, IPV6_ADDRESS_LENGTH);
    sum = add(sum, destination, IPV6_ADDRESS_LENGTH);
    sum = add(sum, datagram, length);
    sum = (sum & 0xFFFFu) + (sum >> 16);
    sum = (sum & 0xFFFFu) + (sum >> 16);
    return sum == 0xFFFFu ? 0xFFFFu : (uint16_t)~sum;
}
