"""Delays of a capture that runs: all of them in a histogram of bounded size, those of the last seconds exactly."""

from __future__ import annotations

from collections import deque
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.statistics.summary import summarize
from gpiorig.rig.plain_json import Number, Result

Samples = NDArray[np.int64]
BINS_PER_OCTAVE = 256
OCTAVES = 63
RESOLUTION = 1 / (2 * BINS_PER_OCTAVE)  # of a quantile of the histogram, at most: half a bin at the start of an octave
MAX_WINDOW = 1 << 18  # values


class Figures(Result, frozen=True):
    """Statistics of a delay; times in ns, NaN without one; `p2p` is peak to peak."""

    n: int
    median_ns: Number
    p99_ns: Number
    p2p_ns: Number


class DelayFigures(Result, frozen=True, kw_only=True):
    """A delay in the window and since the start."""

    window: Figures
    all: Figures


class Delays:
    """The values of one delay.

    Parameters
    ----------
    samplerate_hz
        Exact samplerate.
    """

    def __init__(self, samplerate_hz: Fraction) -> None:
        self._samplerate_hz = samplerate_hz
        self._bins = np.zeros(OCTAVES * BINS_PER_OCTAVE, dtype=np.int64)
        self._low, self._high = 0, 0
        self._recent: deque[tuple[Samples, Samples]] = deque()  # when packets were sent, values

    def add(self, values: Samples, *, starts: Samples) -> None:
        """Add values in samples, and when their packets were sent."""
        if not len(values):
            return
        fractions, exponents = np.frexp(np.maximum(values, 1).astype(np.float64))
        bins = (exponents - 1) * BINS_PER_OCTAVE + ((fractions - 0.5) * 2 * BINS_PER_OCTAVE).astype(np.int64)
        first = not self._bins.any()
        np.add.at(self._bins, bins, 1)
        low, high = int(values.min()), int(values.max())
        self._low, self._high = (low, high) if first else (min(low, self._low), max(high, self._high))
        self._recent.append((starts, values))

    def forget(self, before: int) -> None:
        """Forget the exact values of packets that were sent before a sample, and the oldest where there are many."""
        values = sum(len(part) for _, part in self._recent)
        while len(self._recent) > 1 and values > MAX_WINDOW:
            values -= len(self._recent.popleft()[1])
        while self._recent and int(self._recent[0][0].max()) < before:
            self._recent.popleft()
        if self._recent:
            starts, delays = self._recent[0]
            recent = starts >= before
            self._recent[0] = starts[recent], delays[recent]

    def recent(self) -> Figures:
        """Those that are not forgotten; exact."""
        values = np.concatenate([np.zeros(0, dtype=np.int64), *(part for _, part in self._recent)])
        summary = summarize(values, samplerate_hz=self._samplerate_hz)
        return Figures(summary.n, summary.median_ns, summary.p99_ns, summary.peak_to_peak_ns)

    def all(self) -> Figures:
        """All of them: their number and peak-to-peak exactly, quantiles within `RESOLUTION`."""
        n = int(self._bins.sum())
        if not n:
            return Figures(0, *(float("nan"),) * 3)
        period_ns = NS_PER_S / self._samplerate_hz
        median_ns, p99_ns = (float(self._quantile(p, n) * period_ns) for p in (Fraction(1, 2), Fraction(99, 100)))
        return Figures(n, median_ns, p99_ns, float((self._high - self._low) * period_ns))

    def _quantile(self, p: Fraction, n: int) -> Fraction:
        """The quantile of `statistics.summary.quantile`, in samples; each value counts as the middle of its bin."""
        place = (n - 1) * p
        below = int(place)
        low, high = (self._value(rank) for rank in (below, min(below + 1, n - 1)))
        return low + (place - below) * (high - low)

    def _value(self, rank: int) -> Fraction:
        """The middle of the bin of the value of a rank, from 0, in samples."""
        octave, within = divmod(int(np.searchsorted(np.cumsum(self._bins), rank, side="right")), BINS_PER_OCTAVE)
        middle = Fraction(2**octave) * (1 + Fraction(2 * within + 1, 2 * BINS_PER_OCTAVE))
        return min(max(middle, Fraction(self._low)), Fraction(self._high))
