"""A waveform in chunks between gaps: what decoders read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.decoderhost.errors import Outside
from gpiorig.capture.edges.waveform import Block, Waveform

KEPT_ROWS = 1 << 22  # of edges in memory, 64 MiB, so that a further stack need not read and inflate a file again
CHUNK_ROWS = 1 << 16  # bounds what a decoder copies of a block


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Samples without a gap.

    Attributes
    ----------
    samples
        int64, shape (n,), n > 0: sample numbers of the edges; the first is where the chunk starts, edge or not.
    levels
        uint64, shape (n,): levels from there on.
    end
        One past the last sample.
    """

    samples: NDArray[np.int64]
    levels: NDArray[np.uint64]
    end: int


class Rereading:
    """The blocks of a waveform, for several stacks: after the first reading from memory, where they fit.

    Parameters
    ----------
    waveform
        The capture.
    """

    def __init__(self, waveform: Waveform) -> None:
        self._waveform = waveform
        self._blocks: list[Block] | None = None

    def read(self) -> Iterator[Block]:
        """Begin to read, at the first block."""
        if self._blocks is not None:
            yield from self._blocks
            return
        blocks, rows = [], 0
        for block in self._waveform.read():
            rows += block.samples.size
            if rows <= KEPT_ROWS:
                blocks.append(block)
            else:
                blocks.clear()
            yield block
        self._blocks = blocks if rows <= KEPT_ROWS else None


class Gap:
    """Stands between chunks where samples were lost."""


class Source:
    """Reads the blocks of a waveform once, interval by interval.

    sigrok counts samples from 0, and decoders rely on that they are not negative. So those of a capture that begins
    before its sample 0 are counted from its beginning, and `shift` is the number of samples.

    Parameters
    ----------
    blocks
        Those of the capture.
    """

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._items = self._read(blocks)
        self._held: Chunk | None = None
        self._open = False
        self.gaps = 0
        self.shift = 0

    def next_interval(self) -> bool:
        """Go to the beginning of the next interval without a gap; returns whether there is one."""
        while self.next_chunk() is not None:
            pass
        for item in self._items:
            if isinstance(item, Chunk):
                self._held, self._open = item, True
                return True
        return False

    def next_chunk(self) -> Chunk | None:
        """Return the next chunk of this interval, or None at its end."""
        held, self._held = self._held, None
        if held is None and self._open:
            try:
                item = next(self._items, None)
            except Exception as error:
                raise Outside(error) from error
            held = item if isinstance(item, Chunk) else None
            self._open = held is not None
        return held

    def _read(self, blocks: Iterator[Block]) -> Iterator[Chunk | Gap]:
        at: int | None = None
        level: np.uint64 | None = None  # at the last sample before `at`, where known
        for block in blocks:
            samples, levels = block.samples, block.levels
            if at is None:
                if samples.size == 0:
                    continue
                at = int(samples[0])
                self.shift = max(0, -at)
            for start, end in block.gaps.tolist():
                cut = int(np.searchsorted(samples, start))
                yield from self._chunks(samples[:cut], levels[:cut], at, start, level)
                samples, levels = samples[cut:], levels[cut:]
                at, level = end, None
                self.gaps += 1
                yield Gap()
            yield from self._chunks(samples, levels, at, block.end, level)
            at = max(at, block.end)
            level = levels[-1] if levels.size else level

    def _chunks(
        self, samples: NDArray[np.int64], levels: NDArray[np.uint64], start: int, end: int, level: np.uint64 | None
    ) -> Iterator[Chunk]:
        if start >= end:
            return
        if level is not None and (samples.size == 0 or samples[0] > start):
            samples = np.concatenate((np.array([start], dtype=np.int64), samples))
            levels = np.concatenate((np.array([level], dtype=np.uint64), levels))
        for i in range(0, samples.size, CHUNK_ROWS):
            last = i + CHUNK_ROWS >= samples.size
            rows = samples[i : i + CHUNK_ROWS]
            rows_end = end if last else int(samples[i + CHUNK_ROWS])
            yield Chunk(rows + self.shift if self.shift else rows, levels[i : i + CHUNK_ROWS], rows_end + self.shift)
