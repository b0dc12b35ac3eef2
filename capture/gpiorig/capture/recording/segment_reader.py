"""Reading segment files: block by block, also while they are written."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import BufferedReader
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import confined
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.waveform import MAX_SAMPLES, NO_LEVELS, NO_SAMPLES, Block, joined
from gpiorig.capture.errors import FormatError
from gpiorig.capture.recording import segment_place
from gpiorig.capture.recording.segment_format import (
    BODY,
    DENSE,
    HEADER_SIZE,
    MAGIC,
    MAX_DENSE_SAMPLES,
    PAYLOAD_BYTES,
    Kind,
    edges_of,
    in_order,
    is_written,
    paths_in,
)
from gpiorig.capture.recording.segment_place import Place

YIELD_ROWS = 1 << 16  # small blocks are put together to this many rows
FOLLOW_S = 0.1
MAX_TORN = 128 << 20  # bytes of a block that was cut: twice those of a segment file


class SegmentReader:
    """Reads the segment files of a folder, also while they are written, in memory that does not grow with them.

    Parameters
    ----------
    folder
        The `edges` folder.
    follow
        Wait for more at the end of what is there, until the capture ends or is interrupted.
    start
        Begin at the last block whose rows are all before this sample, so that the levels there are read.

    Attributes
    ----------
    watermark
        All samples before this one are known.
    closed
        What was read last is an end block: the capture was closed in order.
    torn
        Where a last block was cut short ("file, offset"), or "".
    blocks, offset
        Blocks read, and where in the last file the next one begins.
    last
        The last sample that a row or a gap covers.
    """

    def __init__(self, folder: Path, *, follow: bool = False, start: int = 0) -> None:
        self._folder, self._follow = folder, follow
        place = segment_place.before(folder, start) if start else Place()
        self.watermark = self._before = 0
        self.blocks, self.offset = place.blocks, place.offset
        self._begin = place.blocks
        self._file_number = max(place.file - 1, 0)  # of the last file that is behind
        self.last = -MAX_SAMPLES
        self._owed: int | None = None  # end of a gap whose levels have not come yet
        self.closed = False
        self.torn = ""

    def __iter__(self) -> Iterator[Block]:
        """Give the content in blocks of about `YIELD_ROWS` rows; another time, what was written since.

        Raises
        ------
        FormatError
            A block other than a torn last one is damaged, or a file is missing.
        """
        return joined(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        parts: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
        rows, given = 0, self.watermark
        for kind, numbers, levels in self._records():
            if kind is None or kind == Kind.GAP or rows >= YIELD_ROWS:
                if parts or self._before != given:
                    yield _block(parts, self._before)
                parts, rows, given = [], 0, self._before
            if kind == Kind.EDGES:
                parts.append((numbers, levels))
                rows += numbers.size
            elif kind == Kind.GAP:
                yield Block(NO_SAMPLES, NO_LEVELS, self.watermark, numbers.reshape(-1, 2))
                given = self.watermark
        if parts or self.watermark != given:
            yield _block(parts, self.watermark)

    def _records(self) -> Iterator[tuple[Kind | None, NDArray[np.int64], NDArray[np.uint64]]]:
        """Each block; kind None when a follower has to wait. `_before`: the watermark before it."""
        while True:
            alive = self._follow and is_written(self._folder)
            later = [path for path in paths_in(self._folder) if int(path.stem) > self._file_number]
            if later:
                with confined.opened(later[0]) as file:
                    yield from self._file_records(file, later[0], is_last=len(later) == 1)
            if len(later) > 1:
                self._file_number, self.offset = int(later[0].stem), 0
            elif alive:
                self._before = self.watermark
                yield None, NO_SAMPLES, NO_LEVELS
                time.sleep(FOLLOW_S)
            else:
                return

    def _file_records(
        self, file: BufferedReader, path: Path, *, is_last: bool
    ) -> Iterator[tuple[Kind, NDArray[np.int64], NDArray[np.uint64]]]:
        file.seek(self.offset)
        while (record := self._next(file, path, may_be_torn=is_last)) is not None:
            yield record

    def _next(
        self, file: BufferedReader, path: Path, *, may_be_torn: bool
    ) -> tuple[Kind, NDArray[np.int64], NDArray[np.uint64]] | None:
        """Read one block; None at the end of the file, or where its last block is cut short."""
        self.torn = ""
        header = file.read(HEADER_SIZE)
        if not header:
            return None
        if len(header) < HEADER_SIZE or not any(header):
            # zeros: the length reached the disk, the data did not
            if may_be_torn and _is_zero(file):
                self.torn = f"{path}, offset {self.offset}"
                return None
            raise self._damaged(path, "a block is cut short")
        magic, raw_kind, number, count, watermark, payload_crc = BODY.unpack(header[:-4])
        if magic != MAGIC or zlib.crc32(header[:-4]) != int.from_bytes(header[-4:], "little"):
            raise self._damaged(path, "a block's header is damaged")
        is_dense = raw_kind > DENSE
        is_possible = raw_kind in PAYLOAD_BYTES and (not is_dense or 0 < count <= MAX_DENSE_SAMPLES)
        if number != self.blocks + 1 or not is_possible:
            what = f"block {number} of kind {raw_kind} is where block {self.blocks + 1} should be"
            raise self._damaged(path, what)
        kind = Kind.EDGES if is_dense else Kind(raw_kind)
        size = PAYLOAD_BYTES[raw_kind] * count
        is_there = size <= os.fstat(file.fileno()).st_size - file.tell()  # else a false count asks for any memory
        payload = file.read(size) if is_there else b""
        if not is_there or len(payload) < size or zlib.crc32(payload) != payload_crc:
            if may_be_torn and (not is_there or not file.read(1)):
                self.torn = f"{path}, offset {self.offset}"
                return None
            raise self._damaged(path, "a block's data do not match their checksum")
        numbers, levels = edges_of(raw_kind, payload, watermark=watermark)
        if not self._fits(kind, numbers, watermark):
            raise self._damaged(path, "a block's sample numbers do not increase, or lack the levels after a gap")
        self._before, self.watermark = self.watermark, watermark
        self.blocks, self.offset = number, self.offset + HEADER_SIZE + size
        self.closed = kind == Kind.END
        return kind, numbers, levels

    def _fits(self, kind: Kind, numbers: NDArray[np.int64], watermark: int) -> bool:
        """Whether a block continues where the last one ended; notes its last sample."""
        if not in_order(numbers, after=self.last, before=watermark + (kind == Kind.GAP)):
            return False
        goes_on = watermark <= self._owed if kind == Kind.END and self._owed is not None else True
        if self._owed is not None and numbers.size:
            goes_on = int(numbers[0]) == self._owed
        if not goes_on:
            return False
        if numbers.size:
            self._owed = int(numbers[-1]) if kind == Kind.GAP else None
            self.last = int(numbers[-1]) - (kind == Kind.GAP)
        return self.blocks == self._begin or watermark >= self.watermark

    def _damaged(self, path: Path, what: str) -> FormatError:
        return FormatError(
            what,
            where=f"{path}, offset {self.offset}",
            remedy="the file was changed after recording: restore it from a copy, or record again",
        )


def _is_zero(file: BufferedReader) -> bool:
    """Whether the rest of a file is zeros: of a torn block, and so not longer than one that a writer makes."""
    if os.fstat(file.fileno()).st_size - file.tell() > MAX_TORN:
        return False
    return all(not block.strip(b"\0") for block in iter(lambda: file.read(1 << 20), b""))


def _block(parts: list[tuple[NDArray[np.int64], NDArray[np.uint64]]], end: int) -> Block:
    if len(parts) == 1:
        return Block(*parts[0], end)
    samples = np.concatenate([NO_SAMPLES, *(part[0] for part in parts)])
    return Block(samples, np.concatenate([NO_LEVELS, *(part[1] for part in parts)]), end)


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The content of all segment files of a recording, in memory.

    Attributes
    ----------
    blocks
        (int64 samples, uint64 levels) of each block.
    gaps
        int64, shape (k, 2): lost ranges of samples.
    watermark
        All samples before this one are known.
    closed
        The last block is an end block: the capture was closed in order.
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
    """Read all segment files of a folder into memory, also while they are written; FormatError as `SegmentReader`."""
    reader = SegmentReader(folder)
    blocks = list(reader)
    rows = tuple((block.samples, block.levels) for block in blocks if block.samples.size)
    gaps = np.concatenate([no_gaps(), *(block.gaps for block in blocks)])
    return Segments(rows, gaps, reader.watermark, reader.closed, reader.torn)
