"""Writing a serial record: each piece with its stamps and checksum, on the disk when it says so."""

from __future__ import annotations

import contextlib
import os
import zlib
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import FRESH
from gpiorig.capture.errors import RecordingError
from gpiorig.capture.serial.record import CRC, FIELDS, MAGIC, Kind


class SerialWriter:
    """Appends to the record of one port.

    Parameters
    ----------
    path
        The file; must not exist.
    """

    def __init__(self, path: Path) -> None:
        confined.check_own(path.parent)
        try:
            self._file = os.open(path, FRESH | os.O_APPEND, 0o644)
        except FileExistsError as error:
            raise RecordingError("was recorded already", where=path, remedy="record into a new folder") from error
        self._path, self._number, self._size = path, 0, 0
        try:
            self.write(MAGIC)
        except OSError:
            os.close(self._file)
            raise

    def encode(self, data: bytes, *, stamp_ns: int, wall_ns: int, kind: Kind = Kind.RECEIVED) -> bytes:
        """Return the next record, for `write`; parameters as those of `append`."""
        self._number += 1
        fields = FIELDS.pack(stamp_ns, wall_ns, len(data), self._number, kind)
        return fields + CRC.pack(zlib.crc32(data, zlib.crc32(fields))) + data

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
            What they are.
        """
        self.write(self.encode(data, stamp_ns=stamp_ns, wall_ns=wall_ns, kind=kind))

    def write(self, records: bytes) -> None:
        """Write records made by `encode`, in their order; where that fails, such as on a full disk, none of them."""
        left = memoryview(records)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            error.filename = str(self._path)
            raise
        self._size += len(records)

    def sync(self) -> None:
        """Make what was written outlive a power failure."""
        os.fdatasync(self._file)

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1
