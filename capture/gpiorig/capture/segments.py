"""Segment files: edges on disk, append-only, readable at any moment.

A recording's `edges/` holds `000001.seg`, `000002.seg`, ... Each is a row of blocks; a block is a header and a payload,
little endian:

    magic "gpe1" | kind u8, 3 zero bytes | number u32 | count u32 | watermark i64 | payload crc32 u32 | header crc32 u32

`number` counts the blocks of the recording, so that a missing file is noticed. All samples before `watermark` are
known once the block is. Kinds and payloads:

    1 edges      count int64 sample numbers, then count uint64 levels
    2 gap        count pairs of int64 (from, to): samples that were lost; levels at `to` follow
    3 watermark  nothing; written when nothing changed for a while
    4 end        nothing; the capture was closed in order

Every block is one unbuffered write, so it outlives the process at once; `sync` (call it once a second) makes it outlive
the power too. So a crash loses at most what was not flushed, and tears at most the last block.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges import Edges, no_gaps
from gpiorig.capture.errors import FormatError, RecordingError
from gpiorig.capture.waveform import Waveform

MAGIC = b"gpe1"
BODY = struct.Struct("<4sB3xIIqI")  # the header without its own crc
HEADER_SIZE = BODY.size + 4
SEGMENT_BYTES = 64 << 20  # a new file is begun when this size is reached
MAX_COUNT = 1 << 22  # rows in one block


class Kind(IntEnum):
    """What a block holds."""

    EDGES = 1
    GAP = 2
    WATERMARK = 3
    END = 4


PAYLOAD_BYTES = {Kind.EDGES: 16, Kind.GAP: 16, Kind.WATERMARK: 0, Kind.END: 0}  # per row


class SegmentWriter:
    """Appends blocks to the segment files of one recording.

    Parameters
    ----------
    folder
        The `edges` folder; must exist and hold no segment yet.
    segment_bytes
        Size at which a new file is begun.
    """

    def __init__(self, folder: Path, *, segment_bytes: int = SEGMENT_BYTES) -> None:
        if any(folder.glob("*.seg")):
            raise RecordingError("there are edges already", where=folder, remedy="record into a new folder")
        self._folder, self._segment_bytes = folder, segment_bytes
        self._lock = threading.Lock()  # sync() comes from another thread than the rest
        self._full: list[int] = []  # files that are complete but not synced
        self._number = self._file_number = self._size = 0
        self._watermark = 0
        self._file = -1
        self._open_next()

    @property
    def watermark(self) -> int:
        """All samples before this one are in the files."""
        return self._watermark

    def append(self, samples: NDArray[np.int64], levels: NDArray[np.uint64], *, watermark: int) -> None:
        """Write edges; without any, a watermark block.

        Parameters
        ----------
        samples
            int64, shape (n,): sample numbers, all below `watermark`.
        levels
            uint64, shape (n,): levels from there on.
        watermark
            All samples before this one are known.
        """
        for at in range(0, samples.size, MAX_COUNT):
            part, part_levels = samples[at : at + MAX_COUNT], levels[at : at + MAX_COUNT]
            known = watermark if at + MAX_COUNT >= samples.size else int(samples[at + MAX_COUNT])
            payload = part.astype("<i8", copy=False).tobytes() + part_levels.astype("<u8", copy=False).tobytes()
            self._write(Kind.EDGES, payload, count=part.size, watermark=known)
        if samples.size == 0:
            self._write(Kind.WATERMARK, b"", count=0, watermark=watermark)

    def gap(self, start: int, end: int) -> None:
        """Record that samples [start, end) were lost; append the levels at `end` next."""
        self._write(Kind.GAP, struct.pack("<qq", start, end), count=1, watermark=end)

    def sync(self) -> None:
        """Make what was written outlive a power failure. Call it from another thread: it never holds up `append`."""
        with self._lock:
            files, self._full = self._full, []
            if self._file >= 0:
                files.append(os.dup(self._file))
        for file in files:
            try:
                os.fdatasync(file)
            finally:
                os.close(file)

    def close(self, *, in_order: bool = True) -> None:
        """Close the file; with an end block if the capture ended in order."""
        if self._file < 0:
            return
        if in_order:
            self._write(Kind.END, b"", count=0, watermark=self._watermark)
        self.sync()
        with self._lock:
            os.close(self._file)
            self._file = -1

    def _write(self, kind: Kind, payload: bytes, *, count: int, watermark: int) -> None:
        self._number += 1
        body = BODY.pack(MAGIC, kind, self._number, count, watermark, zlib.crc32(payload))
        block = memoryview(body + struct.pack("<I", zlib.crc32(body)) + payload)
        with self._lock:
            if self._size and self._size + len(block) > self._segment_bytes:
                self._full.append(self._file)
                self._open_next()
            self._size += len(block)
            while block:
                block = block[os.write(self._file, block) :]
        self._watermark = watermark

    def _open_next(self) -> None:
        self._file_number += 1
        self._size = 0
        path = self._folder / f"{self._file_number:06}.seg"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The content of all segment files of a recording.

    Attributes
    ----------
    blocks
        (int64 samples, uint64 levels) of each edges block.
    gaps
        int64, shape (k, 2): lost ranges of samples.
    watermark
        All samples before this one are known.
    closed
        There is an end block: the capture was closed in order.
    torn
        Where a last block was cut short ("file, offset"), or "".
    """

    blocks: tuple[tuple[NDArray[np.int64], NDArray[np.uint64]], ...]
    gaps: NDArray[np.int64]
    watermark: int
    closed: bool
    torn: str

    def edges(self, *, samplerate_hz: Fraction, channels: Sequence[str]) -> Edges:
        """Put the blocks together."""
        return Edges.from_blocks(
            self.blocks, samplerate_hz=samplerate_hz, channels=channels, end=self.watermark, gaps=self.gaps
        )


def read_segments(folder: Path) -> Segments:
    """Read all segment files of a folder, also while they are written.

    Raises
    ------
    FormatError
        A block other than a torn last one is damaged, or a file is missing.
    """
    paths = sorted(folder.glob("*.seg"))
    blocks: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
    gaps = [no_gaps()]
    number, watermark, closed, torn = 0, 0, False, ""
    for path in paths:
        data = path.read_bytes()
        at = 0
        while at < len(data):
            block = _read_block(data, at, number + 1, path, last_file=path == paths[-1])
            if block is None:
                torn = f"{path}, offset {at}"
                break
            kind, count, watermark, payload_at, at = block
            number += 1
            if kind == Kind.EDGES:
                samples = np.frombuffer(data, "<i8", count, payload_at).astype(np.int64, copy=False)
                blocks.append((samples, np.frombuffer(data, "<u8", count, payload_at + 8 * count)))
            elif kind == Kind.GAP:
                gaps.append(np.frombuffer(data, "<i8", 2 * count, payload_at).reshape(-1, 2).astype(np.int64))
            closed = kind == Kind.END
    return Segments(tuple(blocks), np.concatenate(gaps), watermark, closed, torn)


def _read_block(
    data: bytes, at: int, number: int, path: Path, *, last_file: bool
) -> tuple[Kind, int, int, int, int] | None:
    """Return (kind, count, watermark, offset of the payload, offset of the next block); None for a torn last block."""

    def damaged(what: str) -> FormatError:
        return FormatError(
            what,
            where=f"{path}, offset {at}",
            remedy="the file was changed after recording: restore it from a copy, or record again",
        )

    payload_at = at + HEADER_SIZE
    body = data[at : payload_at - 4]
    if payload_at > len(data) or not any(data[at:payload_at]):  # zeros: the length reached the disk, the data did not
        if last_file and not any(data[payload_at:]):
            return None
        raise damaged("a block is cut short")
    magic, raw_kind, found_number, count, watermark, payload_crc = BODY.unpack(body)
    if magic != MAGIC or zlib.crc32(body) != int.from_bytes(data[payload_at - 4 : payload_at], "little"):
        raise damaged("a block's header is damaged")
    if found_number != number or raw_kind not in PAYLOAD_BYTES:
        raise damaged(f"block {found_number} of kind {raw_kind} stands where block {number} should be")
    kind = Kind(raw_kind)
    end = payload_at + PAYLOAD_BYTES[kind] * count
    payload = memoryview(data)[payload_at:end]
    if end > len(data) or zlib.crc32(payload) != payload_crc:
        if last_file and end >= len(data):
            return None
        raise damaged("a block's data do not match their checksum")
    return kind, count, watermark, payload_at, end


def write_waveform(folder: Path, waveform: Waveform) -> None:
    writer = SegmentWriter(folder)
    for block in waveform.read():
        for start, end in block.gaps.tolist():
            writer.gap(start, end)
        writer.append(block.samples, block.levels, watermark=block.end)
    writer.close()
