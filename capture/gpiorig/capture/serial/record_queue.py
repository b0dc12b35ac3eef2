"""Records of a serial port between the thread that reads and the one that writes to disk."""

from __future__ import annotations

import threading
from pathlib import Path

from gpiorig.capture.serial.record import Entry
from gpiorig.capture.serial.record_writer import SerialWriter


class RecordQueue:
    """Encodes entries in their order, and writes them when asked to.

    Parameters
    ----------
    path
        The file to record to (see `serialrecord`).

    Attributes
    ----------
    most_bytes
        Most bytes that waited to be written.
    """

    def __init__(self, path: Path) -> None:
        self.most_bytes = 0
        self._writer: SerialWriter | None = SerialWriter(path)
        self._records: list[bytes] = []
        self._bytes = 0
        self._unsynced = False
        self._lock, self._disk = threading.Lock(), threading.Lock()  # the reader never waits for the disk

    def append(self, entry: Entry) -> None:
        """Queue an entry; one thread at a time."""
        writer = self._writer
        if writer is None:
            return
        record = writer.encode(entry.data, stamp_ns=entry.stamp_ns, wall_ns=entry.wall_ns, kind=entry.kind)
        with self._lock:
            self._records.append(record)
            self._bytes += len(record)
            self.most_bytes = max(self.most_bytes, self._bytes)

    def write_out(self, *, sync: bool) -> None:
        """Write what is queued, and make it outlive a power failure.

        Raises
        ------
        OSError
            That fails, such as on a full disk. The record ends before what was queued; what comes later is dropped.
        """
        with self._disk:
            with self._lock:
                records, self._records, self._bytes = self._records, [], 0
            if records and self._writer is not None:
                try:
                    self._writer.write(b"".join(records))
                except OSError:
                    self._end()
                    raise
                self._unsynced = True
            if sync and self._unsynced and self._writer is not None:
                self._writer.sync()
                self._unsynced = False

    def close(self) -> None:
        """Close the file; what is still queued, and what comes later, is dropped."""
        with self._disk:
            self._end()

    def _end(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
