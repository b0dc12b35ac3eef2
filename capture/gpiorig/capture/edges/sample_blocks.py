"""Arrays of samples, one level for each channel and sample, as the blocks of a capture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.extractor import EdgeExtractor
from gpiorig.capture.edges.waveform import Block


class SampleBlocks:
    """Turns arrays of levels, in the order of time, into blocks; keeps the last levels between arrays."""

    def __init__(self) -> None:
        self._extractor = EdgeExtractor(unitsize=8)

    @property
    def end(self) -> int:
        """The next sample."""
        return self._extractor.samples_seen

    def lose(self, samples: int) -> Block:
        """The block of this number of lost samples, at least one."""
        begin = self.end
        self._extractor.lose(samples)
        gaps = np.array([[begin, self.end]], dtype=np.int64)
        return Block(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64), self.end, gaps)

    def feed(self, levels: NDArray[np.uint64]) -> Block:
        """The block of the next samples.

        Parameters
        ----------
        levels
            uint64, shape (n,): bit i is the level of channel i.
        """
        return Block(*self._extractor.feed(levels.astype("<u8", copy=False).tobytes()), self.end)
