"""IEEE 802.15.4 frames inside the packets of a capture: bare, with a TAP header, or sent on by a sniffer over UDP.

Sources: www.tcpdump.org/linktypes.html; "IEEE 802.15.4 TAP Link Type Specification" 1.1 (Exegin, github.com/jkcko/
ieee802.15.4-tap); ZEP: Wireshark, epan/dissectors/packet-zep.c.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from gpiorig.capture.frames import ieee802154
from gpiorig.capture.frames.frame import Frame
from gpiorig.capture.frames.frames import Skipped
from gpiorig.capture.frames.pcap_records import Record

ETHERNET, WITH_FCS, NONASK_PHY, NO_FCS, TAP = 1, 195, 215, 230, 283
NULL, LOOP, SLL, SLL2 = 0, 108, 113, 276
RAW_IP = (12, 14, 101, 228, 229)  # 12 and 14: raw IP as BSD and OpenBSD number it in files
IPV4, IPV6, VLANS = 0x0800, 0x86DD, (0x8100, 0x88A8)
UDP = 17
IPV6_EXTENSIONS = (0, 43, 60)  # RFC 8200, 4: hop by hop, routing, destination options
ZEP_PORT, ZEP_MAGIC = 17754, b"EX"
ZEP_ACK = 2
NTP_TO_UNIX_S = 2_208_988_800  # RFC 5905, 6: from 1900 to 1970
# TAP, 3: types of its TLVs
TAP_FCS, TAP_RSS, TAP_CHANNEL, TAP_START, TAP_END, TAP_LQI = 0, 1, 3, 5, 6, 10
TAP_FCS_BYTES = {0: 0, 1: 2, 2: 4}
CC24XX_CRC_OK = 0x80  # CC2420 data sheet (SWRS041), "RX mode": RSSI, then CRC OK (bit 7) and correlation, for the FCS
OTHER = "of another protocol"
FRAGMENT = "a fragment of an IP packet"
DAMAGED = "damaged"


def frame_of(record: Record) -> Frame | Skipped:
    """Return the frame in a record, or why there is none."""
    try:
        return _frame_of(record)
    except (IndexError, struct.error, KeyError):
        return Skipped(1, DAMAGED)


def _frame_of(record: Record) -> Frame | Skipped:
    data, linktype = record.data, record.linktype
    if linktype == WITH_FCS:
        return _frame(record, data, fcs_bytes=2 if record.fcs_bytes is None else record.fcs_bytes)
    if linktype == NO_FCS:
        return _frame(record, data, fcs_bytes=0)
    if linktype == TAP:
        return _tap(record)
    if linktype == NONASK_PHY:  # preamble (4 bytes), SFD, PHR
        return _frame(record, data[6:], fcs_bytes=2, length=data[5] & 0x7F)
    payload = _udp_payload(record)
    return payload if isinstance(payload, Skipped) else _zep(record, payload)


def _frame(
    record: Record, psdu: bytes, *, fcs_bytes: int, length: int | None = None, cc24xx: bool = False, **known: Any
) -> Frame:
    """Return the frame with its FCS parted off and checked; `length` bytes were on the air."""
    on_air = max(len(psdu) + record.length - len(record.data) if length is None else length, 0)
    psdu = psdu[:on_air]
    mpdu, fcs = psdu, b""
    fcs_ok: bool | None = False if record.crc_error else None
    if len(psdu) < on_air:
        mpdu = psdu[: max(on_air - fcs_bytes, 0)]
    elif 0 < fcs_bytes <= len(psdu):
        mpdu, fcs = psdu[:-fcs_bytes], psdu[-fcs_bytes:]
        fcs_ok = bool(fcs[1] & CC24XX_CRC_OK) if cc24xx else fcs == ieee802154.fcs(mpdu, fcs_bytes)
    return Frame(
        ticks=record.ticks,
        ticks_per_s=record.ticks_per_s,
        mpdu=mpdu,
        fcs=b"" if cc24xx else fcs,
        fcs_ok=fcs_ok,
        cut_bytes=on_air - len(psdu) and on_air - len(mpdu),
        node=known.pop("node", "") or record.interface,
        sent=record.sent,
        comment=record.comment,
        **known,
    )


def _tap(record: Record) -> Frame:
    data = record.data
    version, _, size = struct.unpack_from("<BBH", data)
    if version != 0 or size < 4 or size > len(data):
        raise IndexError(size)
    known: dict[str, Any] = {}
    fcs_bytes = 0
    for code, value in _tlvs(data[4:size]):
        if code == TAP_FCS:
            fcs_bytes = TAP_FCS_BYTES[value[0]]
        elif code == TAP_RSS:
            known["rss_dbm"] = struct.unpack("<f", value)[0]
        elif code == TAP_CHANNEL:
            known["channel"], known["page"] = struct.unpack("<HB", value)
        elif code in (TAP_START, TAP_END):
            known["start_ns" if code == TAP_START else "end_ns"] = struct.unpack("<Q", value)[0]
        elif code == TAP_LQI:
            known["lqi"] = value[0]
    return _frame(record, data[size:], fcs_bytes=fcs_bytes, **known)


def _tlvs(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        code, size = struct.unpack_from("<HH", data, at)
        yield code, data[at + 4 : at + 4 + size]
        at += 4 + (size + 3) // 4 * 4


def tap_header(frame: Frame) -> bytes:
    """Return the TAP header of what is known about a frame."""
    size = len(frame.fcs)
    tlvs = [(TAP_FCS, bytes([next(code for code, count in TAP_FCS_BYTES.items() if count == size)]))]
    if frame.rss_dbm is not None:
        tlvs.append((TAP_RSS, struct.pack("<f", frame.rss_dbm)))
    if frame.channel is not None:
        tlvs.append((TAP_CHANNEL, struct.pack("<HB", frame.channel, frame.page)))
    for code, stamp_ns in ((TAP_START, frame.start_ns), (TAP_END, frame.end_ns)):
        if stamp_ns is not None:
            tlvs.append((code, struct.pack("<Q", stamp_ns)))
    if frame.lqi is not None:
        tlvs.append((TAP_LQI, bytes([frame.lqi])))
    body = b"".join(struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4) for code, value in tlvs)
    return struct.pack("<BBH", 0, 0, 4 + len(body)) + body


def _zep(record: Record, payload: bytes) -> Frame | Skipped:
    if payload[:2] != ZEP_MAGIC:
        return Skipped(1, OTHER)
    known: dict[str, Any] = {}
    if payload[2] == 1:
        header, at = 16, 3
    else:
        if payload[3] == ZEP_ACK:
            return Skipped(1, "a ZEP acknowledgement")
        header, at = 32, 4
        seconds, part = struct.unpack_from(">II", payload, 9)
        if seconds or part:
            known["start_ns"] = (seconds - NTP_TO_UNIX_S) * 10**9 + (part * 10**9 + (1 << 31) >> 32)
    channel, device, has_fcs, lqi = struct.unpack_from(">BHBB", payload, at)
    known |= {"channel": channel, "node": f"zep-{device:04x}"}
    if lqi or not has_fcs:
        known["lqi"] = lqi
    length = payload[header - 1] & 0x7F
    return _frame(record, payload[header:], fcs_bytes=2, length=length, cc24xx=not has_fcs, **known)


def _udp_payload(record: Record) -> bytes | Skipped:
    """Content of the UDP datagram from or to the port of ZEP."""
    data, linktype = record.data, record.linktype
    if linktype == ETHERNET:
        protocol, at = int.from_bytes(data[12:14], "big"), 14
        while protocol in VLANS:
            protocol, at = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
    elif linktype == SLL:
        protocol, at = int.from_bytes(data[14:16], "big"), 16
    elif linktype == SLL2:
        protocol, at = int.from_bytes(data[:2], "big"), 20
    elif linktype in (NULL, LOOP) or linktype in RAW_IP:
        at = 4 if linktype in (NULL, LOOP) else 0
        protocol = {4: IPV4, 6: IPV6}.get(data[at] >> 4, 0)
    else:
        return Skipped(1, f"of link type {linktype}")
    if protocol == IPV4:
        if data[at + 9] != UDP:
            return Skipped(1, OTHER)
        if int.from_bytes(data[at + 6 : at + 8], "big") & 0x3FFF:  # more fragments, or an offset
            return Skipped(1, FRAGMENT)
        at += 4 * (data[at] & 0xF)
    elif protocol == IPV6:
        following, at = data[at + 6], at + 40
        while following in IPV6_EXTENSIONS:
            following, at = data[at], at + 8 * (data[at + 1] + 1)
        if following != UDP:
            return Skipped(1, OTHER)
    else:
        return Skipped(1, OTHER)
    ports = struct.unpack_from(">HH", data, at)
    return data[at + 8 :] if ZEP_PORT in ports else Skipped(1, OTHER)
