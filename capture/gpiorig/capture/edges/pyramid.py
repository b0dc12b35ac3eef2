"""The extremes of a whole capture in bins, collected in one pass, so that long windows are shown without reading it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.overview import Bins, Reduced, binned, merged
from gpiorig.capture.edges.waveform import NO_LEVELS, NO_SAMPLES, Block

MAX_BINS = 1 << 18  # 10 MiB; a window of 1/100 of the capture has 2600 of them, more than a screen has pixels
MAX_PARTS = 64  # of blocks, until they are put together
MAX_GAPS = 1 << 12  # until those that are closer than a bin are put together
_NOTHING = Reduced(NO_SAMPLES, NO_LEVELS, NO_LEVELS, NO_LEVELS, NO_SAMPLES)


class Pyramid:
    """Lowest and highest levels of a capture in bins of equal length.

    Parameters
    ----------
    start, end
        The capture, in samples: [start, end); determines the length of a bin.

    Attributes
    ----------
    size
        Samples in a bin, a power of 2.
    read
        Samples before this one are in the bins.
    """

    def __init__(self, start: int, end: int) -> None:
        self._start = start
        self.size = 1 << max(0, -(-(end - start) // MAX_BINS) - 1).bit_length()
        self.read = start
        self._parts: list[Reduced] = []
        self._gaps: list[NDArray[np.int64]] = [no_gaps()]

    def add(self, block: Block) -> None:
        """Take the next block of the capture."""
        if block.samples.size:
            numbers = (block.samples - self._start) // self.size
            rows = np.ones(len(numbers), dtype=np.int64)
            self._parts.append(merged(numbers, block.levels, block.levels, block.levels, rows))
        if block.gaps.size:
            self._gaps.append(block.gaps)
        if len(self._parts) > MAX_PARTS or len(self._gaps) > MAX_PARTS:
            self._put_together()
        self.read = block.end

    def shows(self, start: int, end: int, *, bins: int) -> bool:
        """Whether a window in this many bins has no finer ones than these."""
        return end - start >= bins * self.size

    def window(self, start: int, end: int, *, bins: int) -> tuple[int, int, Bins]:
        """Return a window in this many bins or up to twice as many, with its start and end, moved outwards to bins.

        Parameters
        ----------
        start, end
            The window, in samples; both in the capture.
        bins
            The lowest number of bins, of a window that this `shows`.
        """
        self._put_together()
        begin, after = (start - self._start) // self.size, -(-(end - self._start) // self.size)
        step = max(1, (after - begin) // bins)
        count = -(-(after - begin) // step)
        at = self._start + begin * self.size
        limit = at + count * step * self.size
        gaps = self._gaps[0]
        gaps = gaps[(gaps[:, 1] > at) & (gaps[:, 0] < limit)]
        held = self._parts[0] if self._parts else _NOTHING
        earliest = int(np.searchsorted(held.bins, begin))
        part = slice(max(earliest - 1, 0), int(np.searchsorted(held.bins, begin + count * step)))
        numbers = np.maximum((held.bins[part] - begin) // step + 1, 0)  # the bin before the window is number 0
        rows = int(held.rows[earliest : part.stop].sum())
        if not len(numbers):
            return at, limit, Bins(np.zeros(count, np.uint64), np.zeros(count, np.uint64), 0, gaps)
        values = (getattr(held, name)[part] for name in Reduced.__slots__[1:])
        extremes = binned([merged(numbers, *values)], count + 1, rows, gaps)
        return at, limit, Bins(extremes.lowest[1:], extremes.highest[1:], rows, gaps)

    def _put_together(self) -> None:
        if len(self._parts) > 1:
            parts = (np.concatenate([getattr(part, name) for part in self._parts]) for name in Reduced.__slots__)
            self._parts = [merged(*parts)]
        gaps = np.concatenate(self._gaps)
        if len(gaps) > MAX_GAPS:
            apart = np.append(True, gaps[1:, 0] - gaps[:-1, 1] >= self.size)
            gaps = np.column_stack([gaps[apart, 0], gaps[np.append(apart[1:], True), 1]])
        self._gaps = [gaps]
