#include "iphc.h"

#include <stdbool.h>
#include <string.h>

/* RFC 6282 3.1.1: 011 TF NH HLIM, CID SAC SAM M DAC DAM */
#define DISPATCH 0x60u
#define DISPATCH_MASK 0xE0u
#define TF_SHIFT 3u
#define NH_NHC (1u << 2)
#define CID (1u << 7)
#define SAC (1u << 6)
#define SAM_SHIFT 4u
#define MULTICAST (1u << 3)
#define DAC (1u << 2)

/* 3.1.1: address modes, of 128, 64, 16 and 0 bits */
enum { FULL, BITS_64, BITS_16, ELIDED };
static const uint8_t mode_length[] = { 16, 8, 2, 0 };

/* 4.3: 11110 C P; the ports of mode 3 are 0xF0B0 + a nibble, those of modes 1 and 2 0xF000 + a byte */
#define NHC_UDP 0xF0u
#define NHC_UDP_MASK 0xF8u
#define NHC_UDP_NO_CHECKSUM (1u << 2)

static const uint8_t hop_limits[] = { 0, 1, 64, 255 }; /* 0: inline */

/** fe80::/64, or fe80::ff:fe00:0/112: what modes 1 and 2 omit. */
static const uint8_t link_prefix[14] = { 0xfe, 0x80, [11] = 0xff, 0xfe, 0x00 };

static unsigned address_mode(const uint8_t *address, uint16_t short_address)
{
    if (inet_is_link_local(address, short_address)) {
        return ELIDED;
    }
    if (memcmp(address, link_prefix, 14) == 0) {
        return BITS_16;
    }
    return memcmp(address, link_prefix, 8) == 0 ? BITS_64 : FULL;
}

/** ff02::00XX, of which one byte is left in mode 3 (3.1.1, M = 1, DAC = 0, DAM = 11). */
static const uint8_t multicast_prefix[15] = { 0xff, 0x02 };

static unsigned multicast_mode(const uint8_t *address)
{
    return memcmp(address, multicast_prefix, sizeof multicast_prefix) == 0 ? ELIDED : FULL;
}

static uint8_t *put(uint8_t *out, const uint8_t *bytes, unsigned length)
{
    memcpy(out, bytes, length);
    return out + length;
}

/** 3.2.1: ECN comes before DSCP here, the other way round than in the IPv6 header. Returns TF. */
static unsigned put_traffic(uint8_t **out, const uint8_t *ipv6)
{
    uint8_t class = (uint8_t)(ipv6[0] << 4 | ipv6[1] >> 4);
    uint8_t turned = (uint8_t)(class << 6 | class >> 2);
    bool has_flow = (ipv6[1] & 0x0fu) != 0 || ipv6[2] != 0 || ipv6[3] != 0;

    if (!has_flow) {
        if (class == 0) {
            return 3;
        }
        *(*out)++ = turned;
        return 2;
    }
    if ((class & 0xFCu) == 0) {
        *(*out)++ = (uint8_t)((turned & 0xC0u) | (ipv6[1] & 0x0fu));
        *out = put(*out, ipv6 + 2, 2);
        return 1;
    }
    *(*out)++ = turned;
    *(*out)++ = ipv6[1] & 0x0fu;
    *out = put(*out, ipv6 + 2, 2);
    return 0;
}

static uint8_t *put_udp(uint8_t *out, const uint8_t *udp)
{
    if (udp[0] == 0xF0u && (udp[1] & 0xF0u) == 0xB0u && udp[2] == 0xF0u && (udp[3] & 0xF0u) == 0xB0u) {
        *out++ = NHC_UDP | 3u;
        *out++ = (uint8_t)(udp[1] << 4 | (udp[3] & 0x0fu));
    } else if (udp[2] == 0xF0u) {
        *out++ = NHC_UDP | 1u;
        out = put(out, udp, 2);
        *out++ = udp[3];
    } else if (udp[0] == 0xF0u) {
        *out++ = NHC_UDP | 2u;
        *out++ = udp[1];
        out = put(out, udp + 2, 2);
    } else {
        *out++ = NHC_UDP;
        out = put(out, udp, 4);
    }
    return put(out, udp + UDP_CHECKSUM, 2);
}

uint8_t iphc_compress(const uint8_t *headers, uint16_t source, uint16_t destination, uint8_t *out, uint8_t *used)
{
    const uint8_t *to = headers + IPV6_DESTINATION;
    unsigned source_mode = address_mode(headers + IPV6_SOURCE, source);
    bool is_multicast = to[0] == 0xffu;
    unsigned destination_mode = is_multicast ? multicast_mode(to) : address_mode(to, destination);
    unsigned destination_length = is_multicast && destination_mode == ELIDED ? 1 : mode_length[destination_mode];
    bool is_udp = headers[IPV6_NEXT_HEADER] == NEXT_HEADER_UDP;
    unsigned hop_mode = 3;
    uint8_t *end = out + 2;
    unsigned traffic = put_traffic(&end, headers);

    if (!is_udp) {
        *end++ = headers[IPV6_NEXT_HEADER];
    }
    while (hop_mode > 0 && hop_limits[hop_mode] != headers[IPV6_HOP_LIMIT]) {
        hop_mode--;
    }
    if (hop_mode == 0) {
        *end++ = headers[IPV6_HOP_LIMIT];
    }
    out[0] = (uint8_t)(DISPATCH | traffic << TF_SHIFT | (is_udp ? NH_NHC : 0u) | hop_mode);
    out[1] = (uint8_t)(source_mode << SAM_SHIFT | (is_multicast ? MULTICAST : 0u) | destination_mode);
    end = put(end, headers + IPV6_SOURCE + 16u - mode_length[source_mode], mode_length[source_mode]);
    end = put(end, to + 16u - destination_length, destination_length);
    *used = IPV6_HEADER_LENGTH;
    if (is_udp) {
        end = put_udp(end, headers + IPV6_HEADER_LENGTH);
        *used += UDP_HEADER_LENGTH;
    }
    return (uint8_t)(end - out);
}

/** What is left to read; `short_by` counts bytes asked for beyond the end. */
struct reader {
    const uint8_t *next;
    unsigned left;
    unsigned short_by;
};

static void get(struct reader *in, uint8_t *to, unsigned length)
{
    if (length > in->left) {
        in->short_by += length - in->left;
        length = in->left;
    }
    memcpy(to, in->next, length);
    in->next += length;
    in->left -= length;
}

static uint8_t get_byte(struct reader *in)
{
    uint8_t byte = 0;

    get(in, &byte, 1);
    return byte;
}

static void get_traffic(struct reader *in, unsigned mode, uint8_t *ipv6)
{
    uint8_t turned = mode == 3 ? 0 : get_byte(in);
    uint8_t flow = mode == 0 ? get_byte(in) : turned;
    uint8_t class = (uint8_t)(turned >> 6 | turned << 2);

    if (mode == 1) {
        class &= 3u;
    }
    if (mode >= 2) {
        flow = 0;
    } else {
        get(in, ipv6 + 2, 2);
    }
    ipv6[0] = (uint8_t)(0x60u | class >> 4);
    ipv6[1] = (uint8_t)(class << 4 | (flow & 0x0fu));
}

static void get_address(struct reader *in, unsigned mode, uint16_t short_address, uint8_t *address)
{
    if (mode == ELIDED) {
        inet_link_local(address, short_address);
        return;
    }
    if (mode != FULL) {
        memcpy(address, link_prefix, sizeof link_prefix);
    }
    get(in, address + 16u - mode_length[mode], mode_length[mode]);
}

static void get_multicast(struct reader *in, unsigned mode, uint8_t *address)
{
    if (mode == FULL) {
        get(in, address, IPV6_ADDRESS_LENGTH);
    } else {
        memcpy(address, multicast_prefix, sizeof multicast_prefix);
        address[15] = get_byte(in);
    }
}

static bool get_udp(struct reader *in, uint8_t *udp)
{
    uint8_t nhc = get_byte(in);

    if ((nhc & NHC_UDP_MASK) != NHC_UDP || (nhc & NHC_UDP_NO_CHECKSUM) != 0) {
        return false;
    }
    udp[0] = 0xF0u;
    udp[2] = 0xF0u;
    if ((nhc & 3u) == 3u) {
        uint8_t ports = get_byte(in);

        udp[1] = (uint8_t)(0xB0u | ports >> 4);
        udp[3] = (uint8_t)(0xB0u | (ports & 0x0fu));
    } else {
        get(in, (nhc & 2u) != 0 ? udp + 1 : udp, (nhc & 2u) != 0 ? 1 : 2);
        get(in, (nhc & 1u) != 0 ? udp + 3 : udp + 2, (nhc & 1u) != 0 ? 1 : 2);
    }
    get(in, udp + UDP_CHECKSUM, 2);
    udp[UDP_LENGTH] = 0;
    udp[UDP_LENGTH + 1] = (uint8_t)(UDP_HEADER_LENGTH + in->left);
    return true;
}

uint8_t iphc_decompress(const uint8_t *in, uint8_t length, uint16_t source, uint16_t destination, uint8_t *out,
                        uint8_t *used)
{
    struct reader reader = { .next = in, .left = length };
    uint8_t first = get_byte(&reader);
    uint8_t second = get_byte(&reader);
    uint8_t made = IPV6_HEADER_LENGTH;

    if ((first & DISPATCH_MASK) != DISPATCH || (second & (CID | SAC | DAC)) != 0) {
        return 0;
    }
    if ((second & MULTICAST) != 0 && (second & 3u) != FULL && (second & 3u) != ELIDED) {
        return 0; /* the other short forms of multicast addresses: no node here sends them */
    }
    memset(out, 0, IPV6_HEADER_LENGTH);
    get_traffic(&reader, (first >> TF_SHIFT) & 3u, out);
    out[IPV6_NEXT_HEADER] = (first & NH_NHC) != 0 ? NEXT_HEADER_UDP : get_byte(&reader);
    out[IPV6_HOP_LIMIT] = (first & 3u) != 0 ? hop_limits[first & 3u] : get_byte(&reader);
    get_address(&reader, (second >> SAM_SHIFT) & 3u, source, out + IPV6_SOURCE);
    if ((second & MULTICAST) != 0) {
        get_multicast(&reader, second & 3u, out + IPV6_DESTINATION);
    } else {
        get_address(&reader, second & 3u, destination, out + IPV6_DESTINATION);
    }
    if ((first & NH_NHC) != 0) {
        if (!get_udp(&reader, out + IPV6_HEADER_LENGTH)) {
            return 0;
        }
        made += UDP_HEADER_LENGTH;
    }
    out[IPV6_PAYLOAD_LENGTH + 1] = (uint8_t)(made - IPV6_HEADER_LENGTH + reader.left);
    *used = (uint8_t)(length - reader.left);
    return reader.short_by == 0 ? made : 0;
}
