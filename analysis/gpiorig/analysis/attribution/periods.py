"""Periods that delays may be multiples of: peaks of the periodogram of their distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MIN_LEVELS = 4
MIN_PERIOD = 10  # samples (or bins of the periodogram): below, the sample grid itself is the lattice
_BINS = 1 << 17  # of the periodogram
_BEYOND = 0.75  # of the frequency of MIN_LEVELS levels over the range: peaks are searched from there on
_CANDIDATES, _PEAK = 24, 0.4  # peaks that are tried, and how high they must be against the highest


def candidates(x: Floats) -> list[tuple[float, float]]:
    """Period and phase of the peaks of |mean(exp(2 pi i f x))|: 10 samples (or bins) to 4/9 of the range.

    The longest period, that of four levels, is a third of the range; a maximum at the very end of the search is not a
    peak.
    """
    width = max(1.0, float(np.ceil((x.max() + 1) / _BINS)))
    counts = np.bincount((x / width).astype(np.int64))
    low, high = np.quantile(x, [0.025, 0.975])
    size = 1 << int(np.ceil(np.log2(4 * len(counts))))
    first = max(1, int(_BEYOND * (MIN_LEVELS - 1) * size * width / max(high - low, width)))
    last = size // MIN_PERIOD
    if first >= last:
        return []
    spectrum = np.fft.rfft(counts, size)[: last + 2]
    power = np.abs(spectrum)
    inner = power[first : last + 1]
    peaks = np.flatnonzero((inner >= power[first - 1 : last]) & (inner > power[first + 1 : last + 2])) + first
    peaks = peaks[power[peaks] >= _PEAK * inner.max()][:_CANDIDATES]
    phases = -np.angle(spectrum[peaks]) / (2 * np.pi) * (size / peaks * width) + (width - 1) / 2
    return list(zip((size / peaks * width).tolist(), phases.tolist(), strict=True))
