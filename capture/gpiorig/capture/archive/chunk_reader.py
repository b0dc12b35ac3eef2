"""Reads members of a zip archive that hold samples from the file, and checks them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.archive.members import COMPLETE, NEEDS_INPUT, NEEDS_ROOM, SPAN_WORDS, TOO_LONG, MemberReader
from gpiorig.capture.archive.zip_archive import DEFLATED, LOCAL, STORED, Member, data_start
from gpiorig.capture.native import Buffer

ROWS = 1 << 15  # edges of a block: the arrays stay in the second-level cache
INPUT_BYTES = 1 << 20  # compressed data that are in memory, for each thread
HEADER_SLACK = 256  # a local header's extra field may be longer than the directory's
MAX_TOGETHER = 64  # chunks that are read by one call
UNLIMITED = 1 << 60


class Damaged(Exception):
    """A chunk that cannot be read; as text, why."""

    def __init__(self, member: Member, why: str) -> None:
        super().__init__(why)
        self.member = member


class Cut(Damaged):
    """The file ends within a chunk."""


class ChunkReader:
    """Turns chunks, one after the other, into the edges of the one stream of samples that they make.

    Parameters
    ----------
    file
        Descriptor of the archive.
    unitsize
        Bytes per sample, 1 to 8.
    used
        Mask of the channels in use.
    """

    def __init__(self, file: int, *, unitsize: int, used: int) -> None:
        self._file = file
        self._reader = MemberReader(unitsize=unitsize, used=used)
        self._input = Buffer(np.uint8, LOCAL.size + HEADER_SLACK + INPUT_BYTES)
        self._spans = Buffer(np.uint64, SPAN_WORDS * MAX_TOGETHER)
        self._new_rows()

    @property
    def position(self) -> int:
        """Number of the next sample."""
        return int(self._reader.head.position)

    def restart(self, position: int) -> None:
        """Begin again: the next byte is the first of the sample with this number."""
        self._reader.restart(position)

    def feed(self, member: Member) -> Iterator[None]:
        """Read a chunk, and yield whenever the rows are full: `take` them.

        Raises
        ------
        Damaged
            It is not what its entry in the directory states; `Cut`: it goes beyond the end of the file.
        """
        yield from self._run(member, size=member.size)
        self._check(member)

    def feed_all(self, members: Sequence[Member]) -> Iterator[None]:
        """Read chunks, each as `feed` does; those that are small and next to each other by one call."""
        at = 0
        while at < len(members):
            together = members[at : at + self._load(members[at : at + MAX_TOGETHER])]
            if together:
                yield from self._run_together(together)
            else:
                yield from self.feed(members[at])
            at += max(1, len(together))

    def measure(self, member: Member) -> tuple[int, int]:
        """Return the length of a chunk in bytes, and its CRC, whatever its entry in the directory states of them.

        Raises
        ------
        Damaged
            As of `feed`.
        """
        self.restart(0)
        for _ in self._run(member, size=member.compressed if member.method == STORED else UNLIMITED):
            self._count = 0
        self._count = 0
        if self._reader.head.status != COMPLETE:
            raise Damaged(member, f"the chunk {member.shown} is damaged")
        return int(self._reader.head.bytes), int(self._reader.head.crc)

    def take(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Return the edges since the last call."""
        samples, levels = self._samples.array[: self._count], self._levels.array[: self._count]
        if self._count > ROWS // 2:
            self._new_rows()
            return samples, levels
        self._count = 0
        return samples.copy(), levels.copy()

    def _new_rows(self) -> None:
        self._samples, self._levels, self._count = Buffer(np.int64, ROWS), Buffer(np.uint64, ROWS), 0

    def _load(self, members: Sequence[Member]) -> int:
        """Read members from the file at once; returns how many are in memory as a whole, each with its header."""
        start = members[0].offset
        lengths = [member.offset + member.compressed - start for member in members]
        if lengths[0] > INPUT_BYTES:
            return 0
        length = LOCAL.size + HEADER_SLACK + max(length for length in lengths if length <= INPUT_BYTES)
        view = self._input.array.data
        data = view[: os.preadv(self._file, [view[:length]], start)]
        words: list[int] = []
        for member in members:
            header_at = member.offset - start
            header = data[header_at:] if header_at >= 0 else data[:0]
            data_at = header_at + data_start(header, member)
            data_end = data_at + member.compressed
            if data_at < header_at or data_end > len(data) or member.method not in (STORED, DEFLATED):
                break
            words += (data_at, data_end, member.size, member.crc | member.method << 32)
        self._spans.array[: len(words)] = words
        return len(words) // SPAN_WORDS

    def _run_together(self, members: Sequence[Member]) -> Iterator[None]:
        reader = self._reader
        reader.head.done = 0
        while True:
            written = reader.feed_all(self._input, self._spans, len(members), self._samples, self._levels, self._count)
            self._count += written
            if reader.head.status != NEEDS_ROOM:
                break
            yield
        if reader.head.done < len(members):
            self._check(members[reader.head.done])

    def _check(self, member: Member) -> None:
        """Compare a chunk with its entry in the directory."""
        head = self._reader.head
        if head.status != COMPLETE:
            what = "is longer than its header states" if head.status == TOO_LONG else "is damaged"
            raise Damaged(member, f"the chunk {member.shown} {what}")
        if head.bytes != member.size:
            raise Damaged(member, f"the chunk {member.shown} has {head.bytes} bytes instead of {member.size}")
        if head.crc != member.crc:
            raise Damaged(member, f"the chunk {member.shown} is damaged (its CRC is wrong)")

    def _run(self, member: Member, *, size: int) -> Iterator[None]:
        if member.method not in (STORED, DEFLATED):
            raise Damaged(member, f"the chunk {member.shown} is compressed by method {member.method}")
        reader, data = self._reader, self._input.array
        view = data.data
        end = LOCAL.size + HEADER_SLACK + min(member.compressed, INPUT_BYTES)
        have = os.preadv(self._file, [view[:end]], member.offset)
        at = data_start(view[:have], member)
        if at < 0:
            raise Damaged(member, f"the chunk {member.shown} has no local header")
        file_at = member.offset + at
        left = member.compressed
        if at > have:
            have = at = 0
        have = at + min(have - at, left)
        file_at, left = file_at + have - at, left - (have - at)
        head = reader.head
        reader.begin(method=member.method, size=size)
        while True:
            written, used = reader.feed(self._input, at, have, self._samples, self._levels, self._count)
            self._count += written
            at += used
            if head.status == NEEDS_ROOM:
                yield
            elif head.status == NEEDS_INPUT and left:
                rest = have - at
                data[:rest] = data[at:have]
                got = os.preadv(self._file, [view[rest : rest + min(left, INPUT_BYTES)]], file_at)
                if not got:
                    raise Cut(member, f"the file ends within the chunk {member.shown}")
                at, have, file_at, left = 0, rest + got, file_at + got, left - got
            else:
                break
