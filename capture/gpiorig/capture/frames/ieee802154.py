"""IEEE 802.15.4 frames: the MAC header, of all versions of the standard, and the frame check sequence.

Sources: IEEE Std 802.15.4-2006, 7.2.1 (frame formats; versions 0 and 1) and 7.2.1.9 (FCS); IEEE Std 802.15.4-2015,
7.2.2 (frame control, table 7-2: PAN ID compression), 7.3.5 (multipurpose frames), 7.2.10 (FCS of 4 bytes). Checked
against Wireshark's dissector by the tests.
"""

from __future__ import annotations

import binascii
import zlib
from dataclasses import dataclass, replace

KINDS = ("beacon", "data", "ack", "command", "reserved", "multipurpose", "fragment", "extended")
ACK, MULTIPURPOSE, FRAGMENT, EXTENDED = 2, 5, 6, 7
NONE, SHORT, LONG = 0, 2, 3  # addressing modes; 1 is reserved
ADDRESS_BYTES = {NONE: 0, SHORT: 2, LONG: 8}
VERSION_2015 = 2
MALFORMED = "malformed"
_REFLECTED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


@dataclass(frozen=True, slots=True, kw_only=True)
class MacHeader:
    """The header of a MAC frame, up to its addresses.

    Attributes
    ----------
    kind
        One of `KINDS`.
    version
        0: 2003, 1: 2006, 2: 2015 and later.
    sequence
        Sequence number, None where it is suppressed.
    source, destination
        Addresses as "0x1a2b" or "00:12:4b:…" (eight bytes, as people write them), "" where there is none.
    source_pan, destination_pan
        PAN identifiers, None where the header has none: then it is the other one's, by compression.
    ack_request, pending, security, ies
        Flags: an acknowledgement is asked for, more data are pending, the frame is secured, it has IEs.
    length
        Bytes up to and including the addresses.
    """

    kind: str
    version: int
    sequence: int | None = None
    source: str = ""
    destination: str = ""
    source_pan: int | None = None
    destination_pan: int | None = None
    ack_request: bool = False
    pending: bool = False
    security: bool = False
    ies: bool = False
    length: int


def parse(mpdu: bytes) -> MacHeader | None:
    """Return the header of a frame (without its FCS); None for one that is malformed."""
    if not mpdu:
        return None
    kind = mpdu[0] & 7
    if kind in (FRAGMENT, EXTENDED):  # their formats are not general ones
        return MacHeader(kind=KINDS[kind], version=VERSION_2015, length=1)
    try:
        return _multipurpose(mpdu) if kind == MULTIPURPOSE else _general(mpdu, KINDS[kind])
    except (IndexError, KeyError):
        return None


def _general(mpdu: bytes, kind: str) -> MacHeader:
    control = mpdu[0] | mpdu[1] << 8
    version, destination, source = control >> 12 & 3, control >> 10 & 3, control >> 14
    suppressed = version >= VERSION_2015 and bool(control & 1 << 8)
    compressed = bool(control & 1 << 6)
    header = MacHeader(
        kind=kind,
        version=version,
        ack_request=bool(control & 1 << 5),
        pending=bool(control & 1 << 4),
        security=bool(control & 1 << 3),
        ies=version >= VERSION_2015 and bool(control & 1 << 9),
        length=2,
    )
    pans = _pans(version, destination, source, compressed=compressed)
    return _addressed(header, mpdu, numbered=not suppressed, modes=(destination, source), pans=pans)


def _multipurpose(mpdu: bytes) -> MacHeader:
    is_long = bool(mpdu[0] & 1 << 3)
    control = mpdu[0] | (mpdu[1] << 8 if is_long else 0)
    header = MacHeader(
        kind=KINDS[MULTIPURPOSE],
        version=VERSION_2015,
        ack_request=bool(control & 1 << 14),
        pending=bool(control & 1 << 11),
        security=bool(control & 1 << 9),
        ies=bool(control & 1 << 15),
        length=2 if is_long else 1,
    )
    modes = control >> 4 & 3, control >> 6 & 3
    return _addressed(header, mpdu, numbered=not control & 1 << 10, modes=modes, pans=(bool(control & 1 << 8), False))


def _pans(version: int, destination: int, source: int, *, compressed: bool) -> tuple[bool, bool]:
    """Whether the PAN identifiers of destination and source are there."""
    if version < VERSION_2015:
        return destination != NONE, source != NONE and not (compressed and destination != NONE)
    if destination == NONE and source == NONE:
        return compressed, False
    if source == NONE:
        return not compressed, False
    if destination == NONE:
        return False, not compressed
    if destination == LONG and source == LONG:
        return not compressed, False
    return True, not compressed


def _addressed(
    header: MacHeader, mpdu: bytes, *, numbered: bool, modes: tuple[int, int], pans: tuple[bool, bool]
) -> MacHeader:
    """Return a header whose frame control alone was read, with the sequence number and the addresses after it."""
    at = header.length
    sequence = mpdu[at] if numbered else None
    at += int(numbered)
    ends: list[tuple[int | None, str]] = []
    for mode, has_pan in zip(modes, pans, strict=True):
        pan = int.from_bytes(mpdu[at : at + 2], "little") if has_pan else None
        at += 2 * has_pan
        size = ADDRESS_BYTES[mode]
        ends.append((pan, _address(mpdu[at : at + size])))
        at += size
    if at > len(mpdu):
        raise IndexError(at)
    (destination_pan, destination), (source_pan, source) = ends
    return replace(
        header,
        sequence=sequence,
        source=source,
        destination=destination,
        source_pan=source_pan,
        destination_pan=destination_pan,
        length=at,
    )


def _address(field: bytes) -> str:
    if len(field) == 2:
        return f"0x{int.from_bytes(field, 'little'):04x}"
    return field[::-1].hex(":")


def fcs16(mpdu: bytes) -> bytes:
    """Return the FCS of two bytes: ITU-T CRC-16, x^16 + x^12 + x^5 + 1, least significant bit first, from zero."""
    reflected = binascii.crc_hqx(mpdu.translate(_REFLECTED), 0)
    return int(f"{reflected:016b}"[::-1], 2).to_bytes(2, "little")


def fcs32(mpdu: bytes) -> bytes:
    """Return the FCS of four bytes: ANSI X3.66-1979; a frame of less than four bytes counts as padded with zeros."""
    return zlib.crc32(mpdu.ljust(4, b"\0")).to_bytes(4, "little")


def fcs(mpdu: bytes, size: int) -> bytes:
    """Return the FCS of a frame, in 0, 2 or 4 bytes."""
    return {0: lambda _: b"", 2: fcs16, 4: fcs32}[size](mpdu)
