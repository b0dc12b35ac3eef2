"""Zip archives with many members: the directory in one read, and members that are compressed already.

`zipfile` takes 10 µs for each member, and cannot write one that is deflated already. Section numbers are those of
APPNOTE.TXT 6.3.10, the description of the format.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from gpiorig.capture.errors import FormatError

STORED, DEFLATED = 0, 8  # 4.4.5
ENCRYPTED, DESCRIPTOR, UTF8 = 1 << 0, 1 << 3, 1 << 11  # 4.4.4
LOCAL = struct.Struct("<4s5H3I2H")  # 4.3.7
CENTRAL = struct.Struct("<4s6H3I5H2I")  # 4.3.12
END = struct.Struct("<4s4H2IH")  # 4.3.16
END64 = struct.Struct("<4sQ2H2I4Q")  # 4.3.14
LOCATOR64 = struct.Struct("<4sIQI")  # 4.3.15
LOCAL_MAGIC, CENTRAL_MAGIC, END_MAGIC = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
END64_MAGIC, LOCATOR64_MAGIC = b"PK\x06\x06", b"PK\x06\x07"
ZIP64_EXTRA = 1  # 4.5.3
MAX16, MAX32 = 0xFFFF, 0xFFFFFFFF
FEWEST_ZIP64 = MAX16  # members from which on the directory is one of zip64
DATE_1980 = 1 << 5 | 1  # 4.4.6: the first day there is, so that equal content gives equal files
NEEDS_DEFLATE, NEEDS_ZIP64 = 20, 45  # 4.4.3.2
MADE_ON_UNIX = 3 << 8  # 4.4.2
FILE_MODE = 0o644 << 16
SHOWN = 40  # characters of a name
MAX_SMALL = 1 << 20  # bytes of a member that is read at once


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive.

    Attributes
    ----------
    name, encoded
        Its name, and the bytes of it.
    method
        0: stored, 8: deflated.
    crc, size
        CRC-32 and length of its content, in bytes.
    compressed
        Length of its data in the archive, in bytes.
    offset
        Where its local header begins.
    """

    name: str
    encoded: bytes
    method: int
    crc: int
    size: int
    compressed: int
    offset: int

    @property
    def shown(self) -> str:
        """Its name as text: without control codes, not longer than 40 characters."""
        return "".join(character if character.isprintable() else "?" for character in self.name[:SHOWN])


class DirectoryError(Exception):
    """An archive has no directory that can be understood."""


def read_directory(file: BinaryIO) -> list[Member]:
    """Return the members, in the order of the directory.

    Raises
    ------
    DirectoryError
        The directory is missing or damaged.
    """
    length = file.seek(0, os.SEEK_END)
    tail_at = max(0, length - END.size - MAX16 - LOCATOR64.size)
    file.seek(tail_at)
    tail = file.read()
    at = tail.rfind(END_MAGIC)
    if at < 0 or len(tail) - at < END.size:
        raise DirectoryError("there is no directory at its end")
    _, _, _, _, count, size, offset, _ = END.unpack_from(tail, at)
    if at >= LOCATOR64.size and tail.startswith(LOCATOR64_MAGIC, at - LOCATOR64.size):
        _, _, end64_at, _ = LOCATOR64.unpack_from(tail, at - LOCATOR64.size)
        file.seek(min(end64_at, length))
        end64 = file.read(END64.size)
        if len(end64) < END64.size or not end64.startswith(END64_MAGIC):
            raise DirectoryError("its zip64 directory is damaged")
        *_, count, size, offset = END64.unpack(end64)
    if offset + size > length:
        raise DirectoryError("its directory is beyond its end")
    file.seek(offset)
    members = list(_entries(file.read(size)))
    if len(members) != count:
        raise DirectoryError(f"its directory has {len(members)} entries instead of {count}")
    for member in members:
        if member.offset + LOCAL.size + len(member.encoded) + member.compressed > length:
            raise DirectoryError(f"its member {member.shown} is beyond its end")
    return members


def _entries(directory: bytes) -> Iterator[Member]:
    at = 0
    while at < len(directory):
        if len(directory) - at < CENTRAL.size or not directory.startswith(CENTRAL_MAGIC, at):
            raise DirectoryError("its directory is damaged")
        (_, _, _, flags, method, _, _, crc, compressed, size, name_length, extra_length, comment_length, *_, offset) = (
            CENTRAL.unpack_from(directory, at)
        )
        name_at = at + CENTRAL.size
        extra_at = name_at + name_length
        at = extra_at + extra_length + comment_length
        if at > len(directory):
            raise DirectoryError("its directory is cut short")
        encoded = directory[name_at:extra_at]
        name = _decoded(encoded, flags)
        if MAX32 in (size, compressed, offset):
            extra = directory[extra_at : extra_at + extra_length]
            size, compressed, offset = _zip64(extra, size, compressed, offset)
        if flags & ENCRYPTED:
            raise DirectoryError("one of its members is encrypted")
        yield Member(name, encoded, method, crc, size, compressed, offset)


def _decoded(name: bytes, flags: int) -> str:
    return name.decode("utf-8" if flags & UTF8 else "cp437", errors="replace")


def _zip64(extra: bytes, *fields: int) -> tuple[int, ...]:
    """Return the fields, those that are too large for 32 bits from the zip64 extra field (4.5.3)."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == ZIP64_EXTRA:
            field = extra[at + 4 : at + 4 + length]
            large = [value for (value,) in struct.iter_unpack("<Q", field[: len(field) // 8 * 8])]
            if len(large) < fields.count(MAX32):
                break
            rest = iter(large)
            return tuple(next(rest) if value == MAX32 else value for value in fields)
        at += 4 + length
    raise DirectoryError("its directory lacks a zip64 field")


def data_start(header: bytes | memoryview, member: Member) -> int:
    """Return where, from the local header on, a member's data begin; negative when this is not its header."""
    if len(header) < LOCAL.size:
        return -1
    magic, _, _, method, _, _, _, _, _, name_length, extra_length = LOCAL.unpack_from(header)
    extra_at = LOCAL.size + name_length
    if magic != LOCAL_MAGIC or method != member.method or header[LOCAL.size : extra_at] != member.encoded:
        return -1
    return int(extra_at + extra_length)


@dataclass(frozen=True, slots=True)
class LocalHeader:
    """The header before a member's data.

    Attributes
    ----------
    member
        Its content; without `has_sizes`, not how long the member is, nor its CRC.
    data_at
        Where the data begin in the file.
    """

    member: Member
    data_at: int
    has_sizes: bool


def local_header(file: BinaryIO, offset: int) -> LocalHeader | None:
    """Return the local header at an offset; None where there is none, or one of an encrypted member."""
    file.seek(offset)
    header = file.read(LOCAL.size)
    if len(header) < LOCAL.size:
        return None
    magic, _, flags, method, _, _, crc, compressed, size, name_length, extra_length = LOCAL.unpack(header)
    if magic != LOCAL_MAGIC or flags & ENCRYPTED:
        return None
    encoded, extra = file.read(name_length), file.read(extra_length)
    has_sizes = not flags & DESCRIPTOR
    if has_sizes and MAX32 in (size, compressed):
        try:
            size, compressed = _zip64(extra, size, compressed)
        except DirectoryError:
            return None
    member = Member(_decoded(encoded, flags), encoded, method, crc, size, compressed, offset)
    return LocalHeader(member, offset + LOCAL.size + name_length + extra_length, has_sizes)


def walk(file: BinaryIO) -> Iterator[Member]:
    """Yield the members of an archive without a directory, from one local header to the next.

    It ends where a header does not contain the length of its member, or where there is none. The last member may be cut
    short.
    """
    length = file.seek(0, os.SEEK_END)
    at = 0
    while at < length and (header := local_header(file, at)) and header.has_sizes:
        yield header.member
        at = header.data_at + header.member.compressed


def content(file: BinaryIO, member: Member) -> bytes:
    """Return the content of a small member.

    Raises
    ------
    DirectoryError
        It is damaged, or of more than `MAX_SMALL` bytes.
    """
    if (size := max(member.size, member.compressed)) > MAX_SMALL:
        raise DirectoryError(f"its member {member.shown} has {size} bytes, more than {MAX_SMALL}")
    file.seek(member.offset)
    data = file.read(LOCAL.size + 2 * MAX16 + member.compressed)
    start = data_start(data, member)
    data = data[start : start + member.compressed]
    if start >= 0 and member.method == DEFLATED:
        try:
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, MAX_SMALL + 1)
        except zlib.error as error:
            raise DirectoryError(f"its member {member.shown} is damaged: {error}") from error
    if start < 0 or len(data) != member.size or zlib.crc32(data) != member.crc:
        raise DirectoryError(f"its member {member.shown} is damaged")
    return data


class ArchiveWriter:
    """Writes members whose data are deflated already; zip64 fields where they are needed.

    Parameters
    ----------
    file
        Where to; written from its position 0 on, in one pass.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._directory: list[bytes] = []

    def add(self, name: str, data: bytes | memoryview, *, method: int, crc: int, size: int) -> None:
        """Append a member.

        Parameters
        ----------
        name
            Its name.
        data
            What is stored of it.
        method
            0: `data` is its content, 8: `data` is its content, deflated.
        crc, size
            CRC-32 and length of its content, in bytes.
        """
        encoded, compressed, offset = name.encode(), len(data), self._at
        if max(size, compressed) >= MAX32:
            raise FormatError(f"the member {name} has {size} bytes", remedy="write smaller members")
        needs = NEEDS_DEFLATE
        common = (0, method, 0, DATE_1980, crc, compressed, size, len(encoded))
        local = LOCAL.pack(LOCAL_MAGIC, needs, *common, 0) + encoded
        extra = b""
        if offset >= MAX32:
            extra, needs, offset = struct.pack("<2HQ", ZIP64_EXTRA, 8, offset), NEEDS_ZIP64, MAX32
        entry = (MADE_ON_UNIX | needs, needs, *common, len(extra), 0, 0, 0, FILE_MODE, offset)
        self._directory.append(CENTRAL.pack(CENTRAL_MAGIC, *entry) + encoded + extra)
        self._file.write(local)
        self._file.write(data)
        self._at += len(local) + compressed

    def close(self) -> None:
        """Write the directory."""
        directory, count, offset = b"".join(self._directory), len(self._directory), self._at
        self._file.write(directory)
        if count >= FEWEST_ZIP64 or offset >= MAX32 or len(directory) >= MAX32:
            end64 = (
                END64.size - 12,
                MADE_ON_UNIX | NEEDS_ZIP64,
                NEEDS_ZIP64,
                0,
                0,
                count,
                count,
                len(directory),
                offset,
            )
            self._file.write(END64.pack(END64_MAGIC, *end64))
            self._file.write(LOCATOR64.pack(LOCATOR64_MAGIC, 0, offset + len(directory), 1))
        short = count if count < FEWEST_ZIP64 else MAX16
        limits = (short, short, min(len(directory), MAX32), min(offset, MAX32))
        self._file.write(END.pack(END_MAGIC, 0, 0, *limits, 0))
