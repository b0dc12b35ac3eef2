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
    16 + width   edges, too: the levels of the count samples before the watermark, in width bytes (1 to 8) each; written
                 where that is smaller. Its first sample is a row, and so is each one that differs from the one before

Every block is one unbuffered write, so it outlives the process at once; `sync` (call it once a second) makes it outlive
the power too. So a crash loses at most what was not flushed, and tears at most the last block. A capture that continues
after a crash (`SegmentWriter.resume`) cuts a torn block off; whoever writes holds a lock (flock) on the folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import threading
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import FRESH
from gpiorig.capture.edges.waveform import MAX_SAMPLES, Waveform
from gpiorig.capture.errors import CaptureError, RecordingError
from gpiorig.capture.recording.segment_format import BODY, DENSE, MAGIC, Kind, dense, in_order, lock, paths_in
from gpiorig.capture.recording.segment_reader import SegmentReader

SEGMENT_BYTES = 64 << 20  # a new file is begun when this size is reached
MAX_COUNT = 1 << 18  # rows in one block that we write; readers take any
RESERVE = "reserve"  # a file whose space is given back when the disk is full, so that the end can still be written
RESERVE_BYTES = 256 << 10
PATIENCE_S = 0.2  # to lock the folder


class SegmentWriter:
    """Appends blocks to the segment files of one recording.

    Parameters
    ----------
    folder
        The `edges` folder; must exist and hold no segment yet.
    segment_bytes
        Size at which a new file is begun.

    Attributes
    ----------
    rows
        Rows of edges that it has written.
    """

    def __init__(self, folder: Path, *, segment_bytes: int = SEGMENT_BYTES) -> None:
        if paths_in(folder):
            raise RecordingError("there are edges already", where=folder, remedy="record into a new folder")
        self._begin(folder, lock(folder, patience_s=PATIENCE_S), segment_bytes)

    @classmethod
    def resume(cls, folder: Path, *, segment_bytes: int = SEGMENT_BYTES) -> SegmentWriter:
        """Continue where a capture ended or was interrupted; a torn last block is cut off.

        Record the pause with `gap` first. `FormatError` where the folder or a segment is a link.
        """
        confined.check_own(folder)
        folder.mkdir(exist_ok=True)  # whoever made the recording may have been killed before it did
        held = lock(folder, patience_s=PATIENCE_S)
        try:
            reader = SegmentReader(folder)
            for _ in reader:
                pass
            paths = paths_in(folder)
            for path in paths[-1:]:
                confined.check_own(path)
        except BaseException:
            os.close(held)
            raise
        if reader.torn:
            os.truncate(paths[-1], reader.offset)
        writer = cls.__new__(cls)
        writer._begin(
            folder, held, segment_bytes, number=reader.blocks, file_number=int(paths[-1].stem) if paths else 0
        )
        writer._watermark, writer._last = reader.watermark, reader.last
        return writer

    def _begin(self, folder: Path, held: int, segment_bytes: int, *, number: int = 0, file_number: int = 0) -> None:
        self._folder, self._held, self._segment_bytes = folder, held, segment_bytes
        self._lock = threading.Lock()  # sync() comes from another thread than the rest
        self._full: list[int] = []  # files that are complete but not synced
        self._number, self._file_number, self._size = number, file_number, 0
        self._watermark, self._last, self.rows = 0, -MAX_SAMPLES, 0
        self._file = -1
        try:
            self._reserve()
            self._open_next()
        except OSError:
            os.close(held)
            raise

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

        Raises
        ------
        CaptureError
            These are not the next rows of a capture.
        """
        if samples.shape != levels.shape or samples.ndim != 1 or samples.dtype != np.int64 or levels.dtype != np.uint64:
            what = f"{samples.dtype} {samples.shape} and {levels.dtype} {levels.shape}"
            raise CaptureError(f"{what} are not rows of edges", where=self._folder, remedy="int64 (n,) and uint64 (n,)")
        if not in_order(samples, after=self._last, before=watermark):
            raise CaptureError("sample numbers do not increase, or are beyond the watermark", where=self._folder)
        for at in range(0, samples.size, MAX_COUNT):
            part, part_levels = samples[at : at + MAX_COUNT], levels[at : at + MAX_COUNT]
            known = watermark if at + MAX_COUNT >= samples.size else int(samples[at + MAX_COUNT])
            if (all_levels := dense(part, part_levels, watermark=known)) is not None:
                count, width = all_levels.shape
                self._write(DENSE + width, all_levels.tobytes(), count=count, watermark=known)
            else:
                payload = part.astype("<i8", copy=False).tobytes() + part_levels.astype("<u8", copy=False).tobytes()
                self._write(Kind.EDGES, payload, count=part.size, watermark=known)
            self.rows += part.size
        if samples.size:
            self._last = int(samples[-1])
        else:
            self._write(Kind.WATERMARK, b"", count=0, watermark=watermark)

    def gap(self, start: int, end: int) -> None:
        """Record that samples [start, end) were lost; append the levels at `end` next."""
        if not self._last < start < end <= MAX_SAMPLES:
            raise CaptureError(f"samples {start} to {end} are not a gap after {self._last}", where=self._folder)
        self._write(Kind.GAP, struct.pack("<qq", start, end), count=1, watermark=end)
        self._last = end - 1

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
        try:
            if in_order:
                self._write(Kind.END, b"", count=0, watermark=self._watermark)
            self.sync()
        finally:
            with self._lock:
                os.close(self._file)
                self._file = -1
            self.free_reserve()
            os.close(self._held)

    def free_reserve(self) -> None:
        """Give back the reserved space: for the last blocks, and the description, of a capture that fills the disk."""
        with contextlib.suppress(OSError):
            (self._folder / RESERVE).unlink(missing_ok=True)

    def _reserve(self) -> None:
        self.free_reserve()  # of a program that was killed, or a link of others
        file = os.open(self._folder / RESERVE, FRESH, 0o644)
        try:
            os.posix_fallocate(file, 0, RESERVE_BYTES)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
        finally:
            os.close(file)

    def _write(self, kind: int, payload: bytes, *, count: int, watermark: int) -> None:
        body = BODY.pack(MAGIC, kind, self._number + 1, count, watermark, zlib.crc32(payload))
        block = memoryview(body + struct.pack("<I", zlib.crc32(body)) + payload)
        with self._lock:
            if self._size and self._size + len(block) > self._segment_bytes:
                self._full.append(self._file)
                self._open_next()
            size = len(block)
            try:
                while block:
                    block = block[os.write(self._file, block) :]
            except OSError as error:  # such as a full disk: no half block stays
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, self._size)
                error.filename = str(self._segment(self._file_number))
                raise
            self._size += size
            self._number += 1
        self._watermark = watermark

    def _open_next(self) -> None:
        self._file_number += 1
        self._size = 0
        self._file = os.open(self._segment(self._file_number), FRESH | os.O_APPEND, 0o644)

    def _segment(self, number: int) -> Path:
        return self._folder / f"{number:06}.seg"


def write_waveform(folder: Path, waveform: Waveform) -> None:
    """Write a complete waveform, block by block, gaps included; when reading it fails, what was read stays."""
    writer = SegmentWriter(folder)
    try:
        for block in waveform.read():
            at = 0
            for start, end in block.gaps.tolist():
                cut = int(np.searchsorted(block.samples, start))
                if cut > at:
                    writer.append(block.samples[at:cut], block.levels[at:cut], watermark=start)
                writer.gap(start, end)
                at = cut
            if len(block.samples) > at or block.end > writer.watermark:
                writer.append(block.samples[at:], block.levels[at:], watermark=block.end)
    except BaseException:
        writer.close(in_order=False)
        raise
    writer.close()
