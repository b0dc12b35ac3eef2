"""A stream of samples that is cut into members of a zip archive, as blocks of edges; on several threads if asked."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.archive.chunk_reader import ChunkReader, Cut, Damaged
from gpiorig.capture.archive.zip_archive import Member
from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.waveform import Block
from gpiorig.capture.errors import FormatError

BATCH_BYTES = 1 << 19  # compressed bytes that a thread reads before it takes the next batch
BATCH_CHUNKS = 64
BATCHES = 8  # for each thread at least, where there are as many chunks: the last ones end at about the same time
WAIT_S = 0.1  # how soon a thread notices that no reader is left
NO_SAMPLES, NO_LEVELS = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
QUEUED_BLOCKS = 8  # blocks that a thread may be ahead of the reader, for each batch


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of the stream of samples.

    Attributes
    ----------
    start, end
        Its first byte in the stream, and one past its last.
    member
        Where it is; None: it is missing, or lost, as several in a row may be.
    """

    start: int
    end: int
    member: Member | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedStream:
    """The samples of a file.

    Attributes
    ----------
    path
        The archive.
    chunks
        In order, without holes between them.
    unitsize
        Bytes per sample.
    used
        Mask of the channels in use.
    recover
        Chunks that are missing become gaps, and so does what a cut file lacks of its last one.
    threads
        Threads that inflate.
    """

    path: Path
    chunks: Sequence[Chunk]
    unitsize: int
    used: int
    recover: bool = False
    threads: int = 1

    def blocks(self, start: int = 0) -> Iterator[Block]:
        """Yield the edges, from the chunks of a sample on.

        Raises
        ------
        FormatError
            A chunk is damaged or missing; it names the samples that are lost.
        """
        level: int | None = None
        gap: tuple[int, int] | None = None
        for part in self._parts(start):
            if part.gap and part.gap[0] < part.gap[1]:
                gap = (gap[0] if gap else part.gap[0], part.gap[1])
            if part.gap or (gap and not part.samples.size):
                continue
            samples, levels = part.samples, part.levels
            gaps = np.array([gap], dtype=np.int64) if gap else no_gaps()
            if samples.size:
                is_known = gap is None and int(levels[0]) == level
                level = int(levels[-1])
                samples, levels = samples[is_known:], levels[is_known:]
            gap = None
            yield Block(samples, levels, part.end, gaps)
        if gap and level is None:
            raise FormatError("all of its chunks are damaged", where=self.path, remedy="record it again")
        if gap:
            yield Block(NO_SAMPLES, NO_LEVELS, gap[1], np.array([gap], dtype=np.int64))

    def batches(self) -> Iterator[list[Chunk]]:
        """Yield chunks that are read one after the other, from a sample's first byte to a sample's last."""
        batch: list[Chunk] = []
        size = 0
        most = min(BATCH_CHUNKS, len(self.chunks) // (BATCHES * self.threads)) if self.threads > 1 else BATCH_CHUNKS
        for chunk in self.chunks:
            batch.append(chunk)
            size += chunk.member.compressed if chunk.member else 0
            is_enough = self.recover or size >= BATCH_BYTES or len(batch) >= most
            if is_enough and chunk.end % self.unitsize == 0:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _parts(self, start: int) -> Iterator[_Part]:
        batches = [batch for batch in self.batches() if batch[-1].end > start * self.unitsize]
        try:
            with self.path.open("rb", buffering=0) as file:
                if self.threads == 1 or len(batches) == 1:
                    decoder = _Decoder(self, file.fileno())
                    for batch in batches:
                        yield from decoder.parts(batch)
                    return
                with _Crew(self, file.fileno(), batches) as crew:
                    yield from crew.parts()
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where=self.path, remedy="check the file") from error


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Edges up to sample `end`, or the range of samples that is lost."""

    samples: NDArray[np.int64]
    levels: NDArray[np.uint64]
    end: int
    gap: tuple[int, int] | None = None


class _Decoder:
    """Reads batches, one after the other, into parts."""

    def __init__(self, stream: ChunkedStream, file: int) -> None:
        self._stream = stream
        self._reader = ChunkReader(file, unitsize=stream.unitsize, used=stream.used)

    def parts(self, batch: list[Chunk]) -> Iterator[_Part]:
        """Yield what a batch holds; the first row of it gives the levels at its start."""
        unit, reader = self._stream.unitsize, self._reader
        start, end = batch[0].start // unit, batch[-1].end // unit
        members = [chunk.member for chunk in batch if chunk.member]
        if len(members) < len(batch):
            yield _Part(NO_SAMPLES, NO_LEVELS, end, gap=(start, end))
            return
        reader.restart(start)
        try:
            for _ in reader.feed_all(members):
                yield self._rows()
            yield self._rows()
        except Damaged as error:
            if not (self._stream.recover and isinstance(error, Cut)):
                (chunk,) = (chunk for chunk in batch if chunk.member is error.member)
                what = f"{error}: samples {chunk.start // unit} to {-(-chunk.end // unit)} are lost"
                remedy = "the rest can be read with `--recover`"
                raise FormatError(what, where=self._stream.path, remedy=remedy) from None
            yield self._rows()
            yield _Part(NO_SAMPLES, NO_LEVELS, end, gap=(reader.position, end))

    def _rows(self) -> _Part:
        samples, levels = self._reader.take()
        return _Part(samples, levels, self._reader.position)


class _Crew:
    """Threads that read batches at the same time; the parts come in order.

    A thread puts the parts of a batch in the batch's own queue, and waits when that is full.
    """

    def __init__(self, stream: ChunkedStream, file: int, batches: Sequence[list[Chunk]]) -> None:
        self._stream, self._file = stream, file
        self._left = deque(batches)
        self._jobs: queue.SimpleQueue[tuple[list[Chunk], _Parts] | None] = queue.SimpleQueue()
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(stream.threads)]

    def __enter__(self) -> _Crew:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for _thread in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def parts(self) -> Iterator[_Part]:
        """Yield the parts of all batches."""
        ahead: deque[_Parts] = deque()
        while self._left or ahead:
            while self._left and len(ahead) <= len(self._threads):
                parts: _Parts = queue.Queue(maxsize=QUEUED_BLOCKS)
                self._jobs.put((self._left.popleft(), parts))
                ahead.append(parts)
            parts = ahead.popleft()
            while (part := parts.get()) is not None:
                if isinstance(part, BaseException):
                    raise part
                yield part

    def _work(self) -> None:
        decoder = _Decoder(self._stream, self._file)
        while (job := self._jobs.get()) is not None and not self._is_over.is_set():
            batch, parts = job
            try:
                for part in decoder.parts(batch):
                    if not self._put(parts, part):
                        return
                self._put(parts, None)
            except BaseException as error:
                self._put(parts, error)

    def _put(self, parts: _Parts, part: _Part | BaseException | None) -> bool:
        """Hand on a part; false when no reader is left."""
        while not self._is_over.is_set():
            try:
                parts.put(part, timeout=WAIT_S)
                return True
            except queue.Full:
                continue
        return False


_Parts = queue.Queue[_Part | BaseException | None]
