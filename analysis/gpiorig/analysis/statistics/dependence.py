"""Dependence within a series: its range in packets, and the equivalent number of independent packets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import mapped

_BLOCK = 1 << 14  # values: a spectrum of them stays in the cache of a processor
_ROUND = 2 ** (1 / 3)


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A series that is computed from another one where it is needed: a part of it is `of` that part of `values`."""

    values: NDArray[Any]
    of: Callable[[NDArray[Any]], NDArray[Any]]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, part: slice) -> NDArray[Any]:
        return self.of(self.values[part])


Series: TypeAlias = NDArray[Any] | Derived


@dataclass(frozen=True, slots=True)
class Dependence:
    """The autocorrelation of a series, in three numbers.

    Parameters
    ----------
    lags
        The last lag before a run of autocorrelations that chance explains; 0 of a series that looks independent.
    effective
        Independent values whose mean is known as well as the mean of the series: n var / long-run variance, at most n.
    block
        Length of blocks for a circular block bootstrap of the mean; 1 of a series that looks independent.
    dies_out
        False where the autocorrelation is significant at all lags looked at (a trend, a beat): blocks are then as long
        as the rule allows, and intervals may be too short.
    """

    lags: int
    effective: float
    block: int
    dies_out: bool = True

    @property
    def independent(self) -> bool:
        """Whether no autocorrelation was found."""
        return self.lags == 0


def measure(series: Series, *, lags: int = 0) -> Dependence:
    """Dependence of a series in the order of time.

    The automatic block length of D. N. Politis and H. White, "Automatic Block-Length Selection for the Dependent
    Bootstrap", Econometric Reviews 23 (1), 2004, pp. 53-70, for the circular block bootstrap (whose formula the
    correction of A. Patton, D. N. Politis and H. White, Econometric Reviews 28 (4), 2009, pp. 372-375, leaves
    unchanged), with the constants of the authors' programs as R's np::b.star and Python's arch have them:

    - K = max(5, log10 n); the first lag m from which K autocorrelations are below 2 sqrt(log10(n) / n);
    - R(k) the autocovariance, w the flat-top window with M = 2 m: 1 up to M / 2, then falling linearly to 0 at M;
    - S = R(0) + 2 sum w R(k), the long-run variance; G = 2 sum w k R(k);
    - block = (2 G^2 / (4/3 S^2))^(1/3) n^(1/3), at most min(3 sqrt n, n / 3), rounded up.

    A series whose first K autocorrelations are below the bound, and the first below 2 / sqrt(n) (1 in 20 independent
    series has a larger one), counts as independent: block 1, effective n.

    Parameters
    ----------
    series
        float64 or int64[n].
    lags
        How many values on either side one depends on whatever the series, as differences of successive values do on
        their neighbours, 1: autocorrelation up to this lag is used as measured, and the series never counts as
        independent.
    """
    n = len(series)
    if n < 8:  # fewer than K autocorrelations
        return Dependence(lags=0, effective=float(n), block=1)
    run = max(5, int(math.log10(n)))
    last = min(math.ceil(math.sqrt(n)) + run, n - 1)
    covariance = _autocovariance(series, mean(series), last)
    if covariance[0] <= 0:
        return Dependence(lags=0, effective=float(n), block=1)
    small = np.abs(covariance[1:]) < 2 * math.sqrt(math.log10(n) / n) * covariance[0]
    runs = np.flatnonzero(np.convolve(small, np.ones(run, dtype=np.int64), "valid") == run)
    first = int(runs[0]) + 1 if len(runs) else last
    if not lags and first == 1 and abs(covariance[1]) < 2 / math.sqrt(n) * covariance[0]:
        return Dependence(lags=0, effective=float(n), block=1)
    width = min(2 * max(first, lags), last)
    k = np.arange(1, width + 1)
    windowed = np.minimum(1.0, 2 * (1 - k / width)) * covariance[1 : width + 1]
    long_run, slope = covariance[0] + 2 * windowed.sum(), 2 * (k * windowed).sum()
    longest = math.ceil(min(3 * math.sqrt(n), n / 3))
    block = float(longest)
    if long_run > 0:
        block = min(block, (1.5 * (slope / long_run) ** 2 * n) ** (1 / 3))
    effective = n * covariance[0] / long_run if long_run > covariance[0] else float(n)
    return Dependence(
        lags=max(1, lags, first - 1),
        effective=max(1.0, effective),
        block=max(1, math.ceil(block)),
        dies_out=bool(len(runs)),
    )


def block_for(*series: Series, lags: int = 0) -> tuple[int, bool]:
    """`block_of` the dependence of some series."""
    return block_of([measure(values, lags=lags) for values in series], lags=lags)


def block_of(measured: Sequence[Dependence], *, lags: int = 0) -> tuple[int, bool]:
    """Length of blocks for intervals, and whether all autocorrelations die out.

    Twice the longest length from `measure`, where the values depend on each other: that length makes the error of the
    bootstrap's variance least, by blocks so short that the variance comes out too small and intervals with it; twice as
    long halves what is missing (`analysis/tests/statistics/test_intervals.py` counts how often intervals hold the
    truth). Rounded up to one of few lengths, so that resamples serve several series. At least four times `lags` (as
    for `measure`): such blocks hold three quarters of what neighbours have in common.
    """
    block = max(measure_.block for measure_ in measured)
    if block > 1:
        block = math.ceil(_ROUND ** math.ceil(math.log(2 * block, _ROUND)))
    return max(block, 4 * lags), all(measure_.dies_out for measure_ in measured)


def mean(series: Series) -> float:
    """The arithmetic mean."""
    return total(series) / len(series)


def total(series: Series) -> float:
    """The sum of all values; memory does not grow with the series."""
    return float(sum(np.sum(series[i : i + _BLOCK], dtype=np.float64) for i in range(0, len(series), _BLOCK)))


def _autocovariance(series: Series, mean: float, last: int) -> NDArray[np.float64]:
    """float64[last + 1]: sum of x[i] x[i + k] over n, x the series minus its mean; by blocks, so memory stays bounded.

    The spectra of the blocks with themselves are summed, and those of the end of each with the beginning of the next.
    """
    n = len(series)
    size, across = (1 << rows.bit_length() for rows in (min(_BLOCK, n) + last, 2 * last))
    step = size - last
    within, between = np.zeros(size // 2 + 1), np.zeros(across // 2 + 1, dtype=np.complex128)
    end = np.zeros(0)
    for i in range(0, n, step):
        mapped.relieve()
        block = series[i : i + step].astype(np.float64)
        block -= mean
        spectrum = np.fft.rfft(block, size)
        within += spectrum.real**2 + spectrum.imag**2
        if len(end):
            beginning = np.concatenate([np.zeros(last), block[:last]])
            between += np.fft.rfft(end, across).conj() * np.fft.rfft(beginning, across)
        end = block[-last:]
    return (np.fft.irfft(within, size)[: last + 1] + np.fft.irfft(between, across)[: last + 1]) / n
