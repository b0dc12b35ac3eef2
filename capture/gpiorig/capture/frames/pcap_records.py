"""Records of pcap and pcapng files: packets with exact timestamps, whatever they hold.

Sources: draft-ietf-opsawg-pcap (pcap) and draft-ietf-opsawg-pcapng (pcapng: sections, blocks, options), IETF OPSAWG.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gpiorig.capture.errors import FormatError
from gpiorig.capture.frames.frames import Skipped

# pcap, 4 (file header): both byte orders of the magic, with ticks per second.
PCAP_TICKS = {0xA1B2C3D4: 10**6, 0xA1B23C4D: 10**9}
PCAP_MAGICS = tuple(magic.to_bytes(4, order) for magic in PCAP_TICKS for order in ("little", "big"))
PCAP_MODIFIED = b"\xd4\xcd\xb2\xa1"[::-1]  # 0xa1b2cd34 of Kuznetzov's libpcap: other record headers
# pcapng, 4 (blocks)
SECTION, INTERFACE, OLD_PACKET, SIMPLE_PACKET, STATISTICS, PACKET = 0x0A0D0D0A, 1, 2, 3, 5, 6
BYTE_ORDER = 0x1A2B3C4D
PCAPNG_MAGIC = SECTION.to_bytes(4, "big")
# pcapng, 3.5 and 4: options
END_OF_OPTIONS, COMMENT = 0, 1
IF_NAME, IF_TSRESOL, IF_FCSLEN, IF_TSOFFSET = 2, 9, 13, 14
EPB_FLAGS, EPB_DROPCOUNT = 2, 4
ISB_IFDROP = 5
FLAG_IN, FLAG_OUT, FLAG_CRC_ERROR = 1, 2, 1 << 24  # pcapng, 4.3.1
MAX_RECORD = 262_144  # bytes; more than any packet has (Wireshark, wiretap/wtap.h, WTAP_MAX_PACKET_SIZE_STANDARD)
MAX_BLOCK = 16 << 20
MAX_TICKS_PER_S = 10**18  # finer clocks wrap within 19 s of 1970
MAX_OFFSET_S = 10**11  # of timestamps: more than 3000 years
MAX_INTERFACES = 1 << 17
LOST = "lost by the sniffer"
CUT_SHORT = "cut short at the end of the file"
NO_TIMESTAMP = "without a timestamp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A packet as the file has it.

    Attributes
    ----------
    linktype
        What `data` begin with (www.tcpdump.org/linktypes.html).
    ticks, ticks_per_s
        Exact time since 1970-01-01 UTC.
    data
        What was captured.
    length
        Bytes the packet had.
    fcs_bytes
        Bytes of FCS at the end of each packet, None when the file does not state it.
    interface, comment
        Name of the interface and comments; "" when there are none.
    sent
        Direction, None when the file does not state it.
    crc_error
        The file states that the FCS was wrong.
    """

    linktype: int
    ticks: int
    ticks_per_s: int
    data: bytes
    length: int
    fcs_bytes: int | None = None
    interface: str = ""
    comment: str = ""
    sent: bool | None = None
    crc_error: bool = False


def read_records(path: Path) -> Iterator[Record | Skipped]:
    """Read a pcap or a pcapng file; a file that was cut short ends with what is `CUT_SHORT`.

    Raises
    ------
    FormatError
        It cannot be opened, is of another kind, or is damaged.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(4)
            if magic == PCAPNG_MAGIC:
                yield from _Pcapng(file, path).read()
            elif magic in PCAP_MAGICS:
                yield from _pcap(file, magic, path)
            elif magic in (PCAP_MODIFIED, PCAP_MODIFIED[::-1]):
                raise FormatError(
                    "is a modified pcap file", where=path, remedy="convert it: editcap -F pcapng IN OUT.pcapng"
                )
            else:
                raise FormatError("is not a pcap or pcapng file", where=path, remedy="give one that Wireshark opens")
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the file") from error


def _pcap(file: IO[bytes], magic: bytes, path: Path) -> Iterator[Record | Skipped]:
    order = "<" if int.from_bytes(magic, "little") in PCAP_TICKS else ">"
    ticks_per_s = PCAP_TICKS[int.from_bytes(magic, "little" if order == "<" else "big")]
    header = file.read(20)
    if len(header) < 20:
        raise FormatError("ends within its header", where=path, remedy="copy it again")
    *_, network = struct.unpack(f"{order}HHiIII", header)
    linktype = network & 0xFFFF
    fcs_bytes = 2 * (network >> 28) if network & 1 << 26 else None  # pcap, 4: FCS length in units of 16 bits
    record = struct.Struct(f"{order}IIII")
    at = 24
    while head := file.read(16):
        if len(head) < 16:
            yield Skipped(1, CUT_SHORT)
            return
        seconds, part, captured, length = record.unpack(head)
        if max(captured, length) > MAX_RECORD:
            raise _damaged(path, at, f"a record of {max(captured, length)} bytes")
        data = file.read(captured)
        if len(data) < captured:
            yield Skipped(1, CUT_SHORT)
            return
        yield Record(
            linktype=linktype,
            ticks=seconds * ticks_per_s + part,
            ticks_per_s=ticks_per_s,
            data=data,
            length=length,
            fcs_bytes=fcs_bytes,
        )
        at += 16 + captured


@dataclass(slots=True)
class _Interface:
    linktype: int
    name: str
    ticks_per_s: int
    offset_s: int
    fcs_bytes: int | None
    dropped: int = 0


@dataclass(slots=True)
class _Pcapng:
    """The state of reading one pcapng file, from after its first four bytes on."""

    file: IO[bytes]
    path: Path
    order: str = "<"
    interfaces: list[_Interface] = field(default_factory=list)

    def read(self) -> Iterator[Record | Skipped]:
        at, head = 0, PCAPNG_MAGIC
        while head:
            head += self.file.read(8)
            if len(head) < 12:
                yield Skipped(1, CUT_SHORT)
                return
            kind = self._kind(head, at)
            size: int = struct.unpack_from(f"{self.order}I", head, 4)[0]
            if size < 12 or size % 4 or size > MAX_BLOCK:
                raise _damaged(self.path, at, f"a block of {size} bytes")
            block = head + self.file.read(size - 12)
            if len(block) < size:
                yield Skipped(1, CUT_SHORT)
                return
            if block[-4:] != block[4:8]:
                raise _damaged(self.path, at, "a block whose two lengths differ")
            try:
                yield from self._block(kind, block[8:-4])
            except (struct.error, IndexError, OverflowError) as error:
                raise _damaged(self.path, at, f"a block of type {kind} that cannot be ({error})") from error
            at += size
            head = self.file.read(4)

    def _kind(self, head: bytes, at: int) -> int:
        if head[:4] != PCAPNG_MAGIC:
            return int(struct.unpack_from(f"{self.order}I", head)[0])
        orders = [order for order in "<>" if struct.unpack_from(f"{order}I", head, 8)[0] == BYTE_ORDER]
        if not orders:
            raise _damaged(self.path, at, "a section without a byte order")
        self.order = orders[0]
        self.interfaces = []
        return SECTION

    def _block(self, kind: int, body: bytes) -> Iterator[Record | Skipped]:
        order = self.order
        if kind == INTERFACE:
            if len(self.interfaces) == MAX_INTERFACES:
                raise OverflowError(f"more than {MAX_INTERFACES} interfaces")
            self.interfaces.append(_interface(body, order))
        elif kind in (PACKET, OLD_PACKET):
            layout = f"{order}IIIII" if kind == PACKET else f"{order}HHIIII"
            fields = struct.unpack_from(layout, body)
            number, (high, low, captured, length) = fields[0], fields[-4:]
            yield from self._packet(number, high << 32 | low, captured, length, body)
        elif kind == SIMPLE_PACKET:
            yield Skipped(1, NO_TIMESTAMP)
        elif kind == STATISTICS:
            number = struct.unpack_from(f"{order}I", body)[0]
            for code, value in _options(body, 12, order):
                if code == ISB_IFDROP and (new := _integer(value, order) - self.interfaces[number].dropped) > 0:
                    self.interfaces[number].dropped += new
                    yield Skipped(new, LOST)

    def _packet(self, number: int, ticks: int, captured: int, length: int, body: bytes) -> Iterator[Record | Skipped]:
        interface = self.interfaces[number]
        if max(captured, length) > MAX_RECORD:
            raise OverflowError(f"a packet of {max(captured, length)} bytes")
        data = body[20 : 20 + captured]
        if len(data) < captured:
            raise IndexError(f"{captured} bytes captured")
        comments, flags = [], 0
        for code, value in _options(body, 20 + (captured + 3) // 4 * 4, self.order):
            if code == COMMENT:
                comments.append(value.decode(errors="replace"))
            elif code == EPB_FLAGS:
                flags = _integer(value, self.order)
            elif code == EPB_DROPCOUNT and (dropped := _integer(value, self.order)):
                interface.dropped += dropped
                yield Skipped(dropped, LOST)
        yield Record(
            linktype=interface.linktype,
            ticks=ticks + interface.offset_s * interface.ticks_per_s,
            ticks_per_s=interface.ticks_per_s,
            data=data,
            length=length,
            fcs_bytes=interface.fcs_bytes,
            interface=interface.name,
            comment="\n".join(comments),
            sent={FLAG_IN: False, FLAG_OUT: True}.get(flags & 3),
            crc_error=bool(flags & FLAG_CRC_ERROR),
        )


def _interface(body: bytes, order: str) -> _Interface:
    interface = _Interface(struct.unpack_from(f"{order}H", body)[0], "", 10**6, 0, None)
    for code, value in _options(body, 8, order):
        if code == IF_NAME:
            interface.name = value.decode(errors="replace")
        elif code == IF_TSRESOL:
            interface.ticks_per_s = 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0]
            if interface.ticks_per_s > MAX_TICKS_PER_S:
                raise OverflowError(f"a clock of {interface.ticks_per_s:.0e} ticks per second")
        elif code == IF_FCSLEN:
            interface.fcs_bytes = value[0] // 8 if value[0] >= 8 else value[0]  # in bits; writers give bytes, too
        elif code == IF_TSOFFSET:
            interface.offset_s = int(struct.unpack(f"{order}q", value)[0])
            if abs(interface.offset_s) > MAX_OFFSET_S:
                raise OverflowError(f"timestamps that are {interface.offset_s} s late")
    return interface


def _options(body: bytes, at: int, order: str) -> Iterator[tuple[int, bytes]]:
    while at + 4 <= len(body):
        code, size = struct.unpack_from(f"{order}HH", body, at)
        if code == END_OF_OPTIONS:
            return
        yield code, body[at + 4 : at + 4 + size]
        at += 4 + (size + 3) // 4 * 4


def _integer(value: bytes, order: str) -> int:
    return int.from_bytes(value, "little" if order == "<" else "big")


def _damaged(path: Path, at: int, what: str) -> FormatError:
    return FormatError(
        f"is damaged: {what}", where=f"{path}, offset {at}", remedy="copy it again, or cut it there with editcap"
    )
