"""Serial records on disk: the bytes of one port, each read with the time at which it ended.

`serial/<node>.rec` begins with the 16 bytes "gpiorig serial 1"; then one record per read or write, little endian:

    stamp i64 ns | wall i64 ns since 1970 | length u32 | kind u8, 3 zero bytes | crc32 u32 | the bytes

`stamp` is monotonic time of the host, or the virtual bench's time; recording.toml says which (`serial_clock`). Kind 0
was received, kind 1 was sent by us. The checksum covers the fields before it and the bytes. Each record is one
unbuffered write, so a crash tears the last one at most.
"""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.errors import FormatError, RecordingError

MAGIC = b"gpiorig serial 1"
FIELDS = struct.Struct("<qqIB3x")
CRC = struct.Struct("<I")
NEWLINE = 10

Clock = Literal["host", "virtual"]


class Kind(IntEnum):
    """Which way the bytes of a record went."""

    RECEIVED = 0
    SENT = 1


class SerialWriter:
    """Appends to the record of one port.

    Parameters
    ----------
    path
        The file; must not exist.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        try:
            self._file = os.open(path, flags, 0o644)
        except FileExistsError as error:
            raise RecordingError("was recorded already", where=path, remedy="record into a new folder") from error
        os.write(self._file, MAGIC)

    def append(self, data: bytes, *, stamp_ns: int, wall_ns: int, kind: Kind = Kind.RECEIVED) -> None:
        """Write one record.

        Parameters
        ----------
        data
            The bytes.
        stamp_ns
            When the read that gave them ended, in ns of the recording's serial clock.
        wall_ns
            The same on the wall clock, in ns since 1970.
        kind
            Which way they went.
        """
        fields = FIELDS.pack(stamp_ns, wall_ns, len(data), kind)
        record = memoryview(fields + CRC.pack(zlib.crc32(data, zlib.crc32(fields))) + data)
        while record:
            record = record[os.write(self._file, record) :]

    def sync(self) -> None:
        """Make what was written outlive a power failure."""
        os.fdatasync(self._file)

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1


@dataclass(frozen=True, slots=True, eq=False)
class SerialLines:
    """Complete lines received on a port.

    Attributes
    ----------
    stamps_ns
        int64, shape (n,): end of the read that completed the line, in ns of `clock`.
    wall_ns
        int64, shape (n,): the same on the wall clock, in ns since 1970.
    texts
        The lines, without their end; bytes that are not UTF-8 become U+FFFD.
    clock
        Whose time `stamps_ns` is.
    """

    stamps_ns: NDArray[np.int64]
    wall_ns: NDArray[np.int64]
    texts: tuple[str, ...]
    clock: Clock


@dataclass(frozen=True, slots=True, eq=False)
class SerialRecord:
    """What was received on a port, read by read.

    Attributes
    ----------
    stamps_ns
        int64, shape (n,): end of each read, in ns of `clock`.
    wall_ns
        int64, shape (n,): the same on the wall clock, in ns since 1970.
    ends
        int64, shape (n,): number of bytes received up to the end of each read.
    data
        All bytes received.
    clock
        Whose time `stamps_ns` is.
    torn
        Where a last record was cut short ("file, offset"), or "".
    """

    stamps_ns: NDArray[np.int64]
    wall_ns: NDArray[np.int64]
    ends: NDArray[np.int64]
    data: bytes
    clock: Clock
    torn: str

    def lines(self) -> SerialLines:
        """Return the complete lines; a rest without a newline is left out."""
        at = np.flatnonzero(np.frombuffer(self.data, np.uint8) == NEWLINE)
        reads = np.searchsorted(self.ends, at, side="right")
        starts = [0, *(int(end) + 1 for end in at)]
        texts = tuple(
            self.data[start:end].rstrip(b"\r").decode(errors="replace")
            for start, end in zip(starts[:-1], at, strict=True)
        )
        return SerialLines(self.stamps_ns[reads], self.wall_ns[reads], texts, self.clock)


def read_record(path: Path, *, clock: Clock, kind: Kind = Kind.RECEIVED) -> SerialRecord:
    """Read the record of a port, also while it is written.

    Parameters
    ----------
    path
        The file.
    clock
        Whose time the stamps are, from recording.toml.
    kind
        Which direction to read.

    Raises
    ------
    FormatError
        It is no serial record, or a record other than a torn last one is damaged.
    """
    raw = path.read_bytes()
    if not MAGIC.startswith(raw[: len(MAGIC)]):
        raise FormatError("is no serial record", where=path, remedy=f"one begins with {MAGIC.decode()!r}")
    stamps: list[int] = []
    walls: list[int] = []
    ends: list[int] = []
    data = bytearray()
    torn = ""
    at = len(MAGIC)
    while at < len(raw):
        payload_at = at + FIELDS.size + CRC.size
        if payload_at > len(raw):
            torn = f"{path}, offset {at}"
            break
        stamp_ns, wall_ns, length, found = FIELDS.unpack_from(raw, at)
        payload = raw[payload_at : payload_at + length]
        whole = zlib.crc32(payload, zlib.crc32(raw[at : at + FIELDS.size])) == CRC.unpack_from(raw, at + FIELDS.size)[0]
        if not whole:
            torn = f"{path}, offset {at}"
            if payload_at + length < len(raw):
                raise FormatError("a record does not match its checksum", where=torn, remedy="restore it from a copy")
            break
        if found == kind and length:
            stamps.append(stamp_ns)
            walls.append(wall_ns)
            data += payload
            ends.append(len(data))
        at = payload_at + length
    return SerialRecord(
        np.array(stamps, dtype=np.int64),
        np.array(walls, dtype=np.int64),
        np.array(ends, dtype=np.int64),
        bytes(data),
        clock,
        torn,
    )
