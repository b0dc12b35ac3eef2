"""Arrays of samples, one level for each channel and sample, as the blocks of a capture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.waveform import Block


class SampleBlocks:
    """Turns arrays of levels, in the order of time, into blocks; keeps the last levels between arrays."""

    def __init__(self) -> None:
        self.end = 0  # the next sample
        self._held: int | None = None

    def lose(self, samples: int) -> Block:
        """The block of this number of lost samples."""
        begin, self.end = self.end, self.end + samples
        self._held = None
        empty = np.empty(0, dtype=np.int64)
        gaps = np.array([[begin, self.end]], dtype=np.int64) if samples else no_gaps()
        return Block(empty, empty.astype(np.uint64), self.end, gaps)

    def feed(self, levels: NDArray[Any]) -> Block:
        """The block of the next samples.

        Parameters
        ----------
        levels
            Unsigned integers, shape (n,): bit i is the level of channel i.
        """
        levels = levels.astype(np.uint64)
        first = levels[:1] if self._held is None else np.array([self._held], dtype=np.uint64)
        changed = levels != np.concatenate([first, levels[:-1]])
        if self._held is None:
            changed[:1] = True
        at = np.flatnonzero(changed)
        begin, self.end = self.end, self.end + len(levels)
        if len(levels):
            self._held = int(levels[-1])
        return Block(begin + at.astype(np.int64), levels[at], self.end)
