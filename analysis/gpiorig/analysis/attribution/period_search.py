"""Search for an unknown period in a step: the highest peak of the periodogram of the delays over their instants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from gpiorig.analysis.attribution.series import autoregression, whitened

Floats = NDArray[np.float64]

CELLS = 1 << 19  # of time: the shortest period is four of them, 1 ms in a run of two minutes
MIN_PERIOD_SHARE = 0.002  # of the packets' interval: shorter periods are not searched
MIN_TURNS = 5  # of the period within the run
EVEN = 0.02  # scatter of the packets' intervals below which they are evenly spaced, of an interval
_FINE = 41  # places between two steps of the periodogram
_TAIL = 5.0  # median absolute deviations at which delays are cut: one packet must not make a peak


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest peak.

    Parameters
    ----------
    period_samples, half_width
        Its period, and half the range of periods that the length of the run cannot distinguish from it.
    p_value
        Of such a peak anywhere in the range.
    shortest_samples, longest_samples
        The range.
    """

    period_samples: float
    half_width: float
    p_value: float
    shortest_samples: float
    longest_samples: float


def find(delays: Floats, begins: NDArray[np.int64]) -> Peak | None:
    """The highest peak between a fifth of the run and the shortest period that the instants allow.

    Lomb's and Scargle's periodogram (Scargle, ApJ 263, 1982) by an FFT of the delays in cells of time, a quarter of the
    shortest period each (Press and Rybicki, ApJ 338, 1989, without their interpolation). Autocorrelation is removed
    of the delays and outliers are cut first. A power z is exceeded by chance at one frequency with exp(-z), anywhere in
    the range with 1 - (1 - exp(-z)) exp(-W exp(-z) sqrt z), W = f T sqrt(pi / 3), f the highest frequency and T the run
    (Baluev, MNRAS 385, 2008, pp. 1279-1285, for instants spread evenly over the run). Counting f T independent
    frequencies instead, as is often done, gives two to three times as many as stated.
    """
    intervals = np.diff(begins)
    interval = float(np.median(intervals))
    if interval <= 0:
        return None
    y = delays - np.median(delays)
    scale = float(np.median(np.abs(y))) or 1.0
    y = np.clip(y, -_TAIL * scale, _TAIL * scale)
    y = y - y.mean()
    model = autoregression(y)
    e = whitened(y, model)
    e = e - e.mean()
    t = (begins[len(begins) - len(e) :] - begins[len(begins) - len(e)]).astype(np.float64)
    even = float(np.std(intervals)) < EVEN * interval
    span = float(t[-1])
    if span <= 0 or not e.any():
        return None
    shortest = 2 * interval if even else max(MIN_PERIOD_SHARE * interval, 4 * span / CELLS)
    cell = shortest / 4
    size = 1 << int(np.ceil(np.log2(2 * (span / cell + 1))))
    low, high = int(np.ceil(MIN_TURNS * size * cell / span)), int(size * cell / shortest)
    if low >= high:
        return None
    scaled = e / np.sqrt(float(e @ e))
    grid = np.bincount((t / cell).astype(np.int64), weights=scaled, minlength=size)
    # Single precision, at half the time, is exact enough to find the peak.
    spectrum = fft.rfft(grid.astype(np.float32))[low : high + 1]
    power = spectrum.real**2 + spectrum.imag**2
    at = int(np.argmax(power)) + low
    highest = float(power[at - low])
    chance, width = np.exp(-highest), span / shortest * np.sqrt(np.pi / 3)
    # log of the probability that none is so high
    none = np.log1p(-min(float(chance), 0.5)) - width * chance * np.sqrt(highest)
    period = _refined(e, t, size * cell / at, size * cell)
    return Peak(
        period_samples=period,
        half_width=period * period / span / 2,
        p_value=max(1e-300, float(-np.expm1(none))),
        shortest_samples=shortest,
        longest_samples=span / MIN_TURNS,
    )


def _refined(e: Floats, t: Floats, period: float, length: float) -> float:
    """The period of the highest power within a step of the periodogram, by the instants themselves."""
    frequencies = 1 / period + np.linspace(-1, 1, _FINE) / length
    power = np.abs(np.exp(-2j * np.pi * frequencies[:, None] * t[None, :]) @ e)
    return float(1 / frequencies[np.argmax(power)])
