"""The virtual bench's time of serial bytes: the bench appends a record to a file before it sends a chunk."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

from gpiorig.capture.errors import SerialPortError

STAMP_DEADLINE_S = 2.0
STAMP = struct.Struct("<QI")  # virtual ns at which the modelled host has the bytes, and how many

Part = tuple[int, bytes]


class VirtualStamps:
    """Reads the timestamps of one port.

    Parameters
    ----------
    path
        The file. Records that are there already belong to bytes sent before the port was opened, and are skipped.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            remedy = "is the virtual bench running?"
            raise SerialPortError(f"no virtual timestamps: {error.strerror}", where=path, remedy=remedy) from error
        size = os.fstat(self._file.fileno()).st_size
        self._file.seek(size - size % STAMP.size)
        self._path = path
        self._stamp_ns = self._left = 0

    def split(self, data: bytes) -> list[Part]:
        """Cut bytes that were read into (virtual ns, bytes) at the bounds of the bench's chunks."""
        parts = []
        while data:
            if self._left == 0:
                self._stamp_ns, self._left = self._next()
            count = min(self._left, len(data))
            parts.append((self._stamp_ns, data[:count]))
            self._left -= count
            data = data[count:]
        return parts

    @property
    def last_ns(self) -> int:
        """Timestamp of the latest chunk."""
        return self._stamp_ns

    def now_ns(self) -> int:
        """The bench's virtual time, some 0.1 s old at most: the latest record, read or not."""
        records = os.fstat(self._file.fileno()).st_size // STAMP.size
        record = os.pread(self._file.fileno(), STAMP.size, (records - 1) * STAMP.size) if records else b""
        return int(STAMP.unpack(record)[0]) if len(record) == STAMP.size else 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _next(self) -> tuple[int, int]:
        end_s = time.monotonic() + STAMP_DEADLINE_S
        record = b""
        while time.monotonic() < end_s:
            record += self._file.read(STAMP.size - len(record)) or b""
            if len(record) == STAMP.size:
                stamp_ns, count = STAMP.unpack(record)
                if count:
                    return int(stamp_ns), int(count)
                record = b""
            else:
                time.sleep(0.001)
        remedy = "the bench must write a timestamp before the bytes"
        raise SerialPortError("bytes came without a virtual timestamp", where=self._path, remedy=remedy)
