"""pcap and pcapng files of IEEE 802.15.4: reading all ways in which sniffers write frames, writing pcapng with TAP."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.frames import encapsulation
from gpiorig.capture.frames.frame import Frame
from gpiorig.capture.frames.frame_clock import FrameClock
from gpiorig.capture.frames.frames import Frames, Skipped
from gpiorig.capture.frames.pcap_records import (
    BYTE_ORDER,
    COMMENT,
    EPB_DROPCOUNT,
    EPB_FLAGS,
    FLAG_CRC_ERROR,
    FLAG_IN,
    FLAG_OUT,
    IF_NAME,
    IF_TSRESOL,
    INTERFACE,
    LOST,
    PACKET,
    PCAP_MAGICS,
    PCAPNG_MAGIC,
    SECTION,
    read_records,
)

SUMMARY = "pcap or pcapng of IEEE 802.15.4 frames"
SUFFIXES = (".pcapng", ".pcap", ".cap")
MAGIC = (PCAPNG_MAGIC, *PCAP_MAGICS)
WRITER = b"gpiorig"
SHB_USERAPPL = 4
NS_PER_S = 10**9


def read(path: Path, options: ReadOptions | None = None) -> Frames:
    """Read a capture of frames; what is not a frame comes as `Skipped`."""

    def items() -> Iterator[Frame | Skipped]:
        for record in read_records(path):
            yield record if isinstance(record, Skipped) else encapsulation.frame_of(record)

    return Frames(read=items, source=f"packet capture {path.name}")


def write(path: Path, frames: Frames) -> str:
    """Write frames as pcapng with TAP headers, one interface for each node, in the order in which they come.

    Returns
    -------
    str
        What was rounded, and why the timestamps may not be times. A decimal clock of up to 10^9 ticks per second and a
        binary one of up to 2^30 are kept.
    """
    count, skipped, dropped, is_rounded = 0, 0, 0, False
    interfaces: dict[tuple[str, int], int] = {}
    clock = FrameClock()
    with replacing(path) as new, new.open("wb") as file:
        about = [(SHB_USERAPPL, WRITER)] + ([(COMMENT, frames.note.encode())] if frames.note else [])
        file.write(_block(SECTION, struct.pack("<IHHq", BYTE_ORDER, 1, 0, -1) + _options(about)))
        for item in frames.read():
            if isinstance(item, Skipped):
                dropped += item.count * (item.why == LOST)
                skipped += item.count * (item.why != LOST)
                continue
            clock.add(item)
            resolution = _resolution(item.ticks_per_s)
            key = (item.node, NS_CODE if resolution is None else resolution)
            if key not in interfaces:
                interfaces[key] = len(interfaces)
                file.write(_interface(*key))
            file.write(_packet(item, interfaces[key], exact=resolution is not None, dropped=dropped, path=path))
            count, dropped = count + 1, 0
            is_rounded |= resolution is None
    parts = [f"{count} frames, {len(interfaces)} interfaces"]
    remarks = clock.remarks()
    exactness = "timestamps are unchanged" if remarks else "times are exact"
    parts.append("times to the nearest ns" if is_rounded else exactness)
    parts += remarks
    if skipped:
        parts.append(f"{skipped} records that are not frames were omitted")
    return "; ".join(parts)


NS_CODE = 9


def _resolution(ticks_per_s: int) -> int | None:
    """The value of if_tsresol for a clock, None for one that it cannot state."""
    for digits in range(NS_CODE + 1):
        if ticks_per_s == 10**digits:
            return digits
    bits = ticks_per_s.bit_length() - 1
    return 0x80 | bits if ticks_per_s == 1 << bits and bits <= 30 else None


def _interface(node: str, resolution: int) -> bytes:
    options = [(IF_TSRESOL, bytes([resolution]))]
    if node:
        options.insert(0, (IF_NAME, node.encode()))
    return _block(INTERFACE, struct.pack("<HHI", encapsulation.TAP, 0, 0) + _options(options))


def _packet(frame: Frame, interface: int, *, exact: bool, dropped: int, path: Path) -> bytes:
    ticks = frame.ticks if exact else round(Fraction(frame.ticks * NS_PER_S, frame.ticks_per_s))
    if not 0 <= ticks < 1 << 64:
        at_s = float(Fraction(frame.ticks, frame.ticks_per_s))
        raise FormatError(
            f"a frame {at_s:g} s after 1970-01-01 has no timestamp in a pcapng file",
            where=path,
            remedy="state when the recording began",
        )
    data = encapsulation.tap_header(frame) + frame.mpdu + frame.fcs
    flags = {True: FLAG_OUT, False: FLAG_IN, None: 0}[frame.sent]
    if frame.fcs_ok is False and not frame.fcs:
        flags |= FLAG_CRC_ERROR
    options = [(COMMENT, line.encode()) for line in frame.comment.splitlines()]
    if flags:
        options.append((EPB_FLAGS, struct.pack("<I", flags)))
    if dropped:
        options.append((EPB_DROPCOUNT, struct.pack("<Q", dropped)))
    length = len(data) + frame.cut_bytes
    head = struct.pack("<IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(data), length)
    return _block(PACKET, head + data + bytes(-len(data) % 4) + _options(options))


def _options(options: list[tuple[int, bytes]]) -> bytes:
    if not options:
        return b""
    packed = [struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4) for code, value in options]
    return b"".join(packed) + bytes(4)


def _block(kind: int, body: bytes) -> bytes:
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)
