"""Lattice: delays on levels a fixed distance apart, as the slots of a backoff make them.

Peaks of the periodogram of the delays' distribution are the candidates. A delay within an eighth of a period of a level
is *on* it; nine in ten must be. Two chances speak against a lattice; the p-value is the larger of the two, times the
number of periods tried:

- The distribution is smooth at the scale of the period. Then at most half of the delays are on levels (a quarter where
  the density is linear, 37 % for an exponential whose 95 % span three periods).
- The delays have a few places, and these happen to fit: m places fit one of M periods to d of it, at a suitable phase,
  with a probability of about M m (2 d)^(m - 2).

The longest period whose evidence (-log p) is nearly the strongest counts: its fractions fit equally well.

The levels are those that follow each other and hold the most delays. Delays beyond the last of them met something
else, even if it lies on a multiple of the period: sums of waits have the measure of their parts in common. So the share
is that of these levels in the variance of *all* delays. A period far below the spread fits all times of one
clock; more than `MAX_LEVELS` levels show the resolution of that clock, not why delays differ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES

MIN_LEVELS = 4
MIN_PERIOD = 10  # samples (or bins of the periodogram): below, the sample grid itself is the lattice
_BINS = 1 << 17  # of the periodogram
_BEYOND = 0.75  # of the frequency of MIN_LEVELS levels over the range: peaks are searched from there on
_CANDIDATES, _PEAK = 24, 0.4  # peaks that are tried, and how high they must be against the highest
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]

MIN_DELAYS = 30  # fewer fall on something like levels by chance
# Eight of a backoff (macMinBE 3, IEEE 802.15.4-2006, table 86), fifteen of the sum of two.
MAX_LEVELS = 16
GAP = 2  # periods to the next level, at most: one level may be empty by chance
# Shares of the delays, the shortest, that are tested, and the share of the level for each of these tests.
BODIES = {1.0: 0.9, 0.75: 0.05, 0.5: 0.05}
MAIN_LEVEL = 0.02  # share of the delays that a level needs to count as a place of its own
WINDOW = 1 / 8  # of the period, on either side of a level
SMOOTH = 0.5  # share of the delays of a smooth distribution that are on levels, at most
MIN_ON = 0.9  # share of the delays that must be on levels: the rest may have met something else
NEARLY = 0.8  # of the strongest evidence
_OUTLYING = 6.0  # median distances from the level


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A lattice fitted to delays; lengths in samples, float64.

    Parameters
    ----------
    period, period_se
        Distance of neighbouring levels and its standard error.
    origin, origin_se
        Place of the lowest level and its standard error.
    levels
        Levels with more delays than what lies between the levels explains, one after the other, up to `top`.
    top
        Place of the highest of them.
    on
        bool[n]: delays on any level, beyond the highest, too.
    share
        Share of the delays on levels, minus those there by chance.
    width
        Spread of the delays of a level: twice their standard deviation around it.
    p_value
        See the module.
    """

    period: float
    period_se: float
    origin: float
    origin_se: float
    levels: int
    top: float
    on: NDArray[np.bool_]
    share: float
    width: float
    p_value: float

    @property
    def beyond(self) -> float:
        """Delays above it are longer than any level."""
        return self.top + self.period / 2

    def over(self, delays: NDArray[np.int64]) -> Lattice:
        """The same period with the levels that these delays have, of which it was fitted to the shortest."""
        values, place_of = np.unique(delays, return_inverse=True)
        place = np.rint((values - self.origin) / self.period)
        on = np.abs(values - self.origin - self.period * place) <= WINDOW * self.period
        lowest, highest, levels = _levels(place, on, np.bincount(place_of))
        origin, top = self.origin + lowest * self.period, self.origin + highest * self.period
        return replace(self, origin=origin, top=top, levels=levels, on=on[place_of])

    def on_levels(self, delays: NDArray[np.int64]) -> Flags:
        """bool[n], delays on one of its levels, not beyond the highest."""
        off = np.abs(delays - self.origin - self.period * np.rint((delays - self.origin) / self.period))
        inside = (delays > self.origin - self.period / 2) & (delays < self.beyond)
        near: Flags = inside & (off <= WINDOW * self.period)
        return near


def fit(delays: NDArray[np.int64]) -> Lattice | None:
    """The lattice that fits the delays best, however badly; None for few delays or few places."""
    if len(delays) < MIN_DELAYS:
        return None
    values, place_of = np.unique(delays, return_inverse=True)
    lowest = int(values[0])
    x = (delays - lowest).astype(np.float64)
    fitted = [
        lattice
        for period, origin in candidates(x)
        if (lattice := _fit(values - lowest, place_of, period, origin, lowest=float(lowest))) is not None
    ]
    if not fitted:
        return None
    strongest = min(np.log(lattice.p_value) for lattice in fitted)
    good = [lattice for lattice in fitted if np.log(lattice.p_value) <= NEARLY * strongest]
    return max(good, key=lambda lattice: lattice.period)


def _fit(
    values: NDArray[np.int64], place_of: NDArray[np.int64], period: float, origin: float, *, lowest: float
) -> Lattice | None:
    """The lattice near a period and an origin: delays are few different numbers, of which most is computed once.

    Parameters
    ----------
    values, place_of
        The different delays minus the lowest, increasing; int64[n], place of each delay among them.
    period, origin, lowest
        Where to begin; the lowest delay.
    """
    x, times = values.astype(np.float64), np.bincount(place_of)
    used, cut = np.ones(len(x), dtype=np.bool_), WINDOW * period
    for _ in range(4):
        place = np.rint((x - origin) / period)
        residual = np.abs(x - origin - place * period)
        used = residual <= WINDOW * period
        weights = times[used]
        if int(weights.sum()) < MIN_DELAYS // 2 or len(_starts(place[used])) < MIN_LEVELS:
            return None
        # Delays on a level by chance do not count for its place.
        cut = min(WINDOW * period, max(float(RESOLUTION_SAMPLES), _OUTLYING * _median(residual[used], weights)))
        used = residual <= cut
        weights, delays = times[used], place_of[used[place_of]]
        count = len(delays)
        centre = float(weights @ place[used]) / count
        spread = float(np.sum(((place - centre) ** 2)[delays]))
        if not spread:
            return None
        period = float(np.sum(((place - centre) * x)[delays]) / spread)
        origin = float(weights @ x[used]) / count - centre * period
        if period < MIN_PERIOD:
            return None
    place = np.rint((x - origin) / period)
    residual = x - origin - place * period
    on = np.abs(residual) <= WINDOW * period
    n, n_on = len(place_of), int(times[on].sum())
    if not n_on:
        return None
    lowest_level, highest_level, levels = _levels(place, on, times)
    # The resolution is part of the error where it does not show in the scatter.
    sigma = float(np.sqrt(np.mean((residual**2)[delays]) + RESOLUTION_SAMPLES**2 / 12))
    off_levels = _beside(on, times)
    inflation = _cut_off(residual, used, cut, times)
    error = inflation * sigma / np.sqrt(spread)
    return Lattice(
        period=period,
        period_se=float(error),
        origin=lowest + origin + lowest_level * period,
        origin_se=float(np.hypot(inflation * sigma / np.sqrt(count), error * (centre - lowest_level))),
        levels=levels,
        top=lowest + origin + highest_level * period,
        on=on[place_of],
        share=max(0.0, (n_on - off_levels) / n),
        width=2 * float(residual[place_of[on[place_of]]].std()),
        p_value=_p_value(place, residual, on, times, period=period),
    )


def _median(values: Floats, times: Counts) -> float:
    """The median of values, each of which is there some times."""
    order = np.argsort(values, kind="stable")
    until = np.cumsum(times[order])
    middle = np.searchsorted(until, [(until[-1] - 1) // 2, until[-1] // 2], side="right")
    low, high = values[order[middle]].tolist()
    return float(low + high) / 2


def _beside(on: Flags, times: Counts) -> float:
    """Delays that would be on levels without any lattice, given those that are off them."""
    return float(times[~on].sum()) * 2 * WINDOW / (1 - 2 * WINDOW)


def _levels(place: Floats, on: Flags, times: Counts) -> tuple[float, float, int]:
    """First and last level and their number, of those with more delays than what lies between the levels explains."""
    starts = _starts(place[on])
    cells, counts = place[on][starts], np.add.reduceat(times[on], starts) if len(starts) else starts
    chance = _beside(on, times) / (float(place[-1] - place[0]) + 1)
    real = counts > chance + 3 * np.sqrt(chance)
    return _run(cells[real], counts[real])


def _starts(place: Floats) -> NDArray[np.int64]:
    """Indices at which another place begins in an increasing series."""
    return np.flatnonzero(np.append(True, place[1:] != place[:-1])[: len(place)])


def _run(cells: Floats, counts: NDArray[np.int64]) -> tuple[float, float, int]:
    """First and last of the levels that follow each other and hold the most delays, and how many they are."""
    if not len(cells):
        return 0.0, 0.0, 0
    run = np.cumsum(np.diff(cells, prepend=cells[0]) > GAP)
    densest = cells[run == int(np.argmax(np.bincount(run, weights=counts)))]
    return float(densest[0]), float(densest[-1]), len(densest)


def _cut_off(residual: Floats, used: NDArray[np.bool_], cut: float, times: Counts) -> float:
    """By how much the errors grow because delays farther than `cut` from a level do not count.

    A level that moves takes in delays on one side and loses them on the other, which draw it on: of an M-estimator with
    psi(r) = r up to c and 0 beyond, E psi' = P(|r| <= c) - c (f(c) + f(-c)), the density f of the residuals at the cut
    from those between 3/4 and 5/4 of it (Huber, Robust Statistics,
    Wiley 1981, on M-estimates).
    """
    inside, size = int(times[used].sum()), np.abs(residual)
    at_the_cut = 2 * int(times[(size > 0.75 * cut) & (size <= 1.25 * cut)].sum())
    return inside / max(inside - at_the_cut, 0.2 * inside)


def _p_value(place: Floats, residual: Floats, on: NDArray[np.bool_], times: Counts, *, period: float) -> float:
    looks = float(place[-1] - place[0]) + 1  # periods of this length or longer that can be distinguished
    n, n_on = int(times.sum()), int(times[on].sum())
    # One place with most of the delays is not a lattice: the fullest level does not count.
    starts = _starts(place)
    counts = np.add.reduceat(times, starts)
    fullest = int(np.argmax(counts))
    on_fullest = int(np.add.reduceat(times * on, starts)[fullest])
    smooth = float(bdtrc(n_on - on_fullest - 1, n - int(counts[fullest]), SMOOTH))
    starts = _starts(place[on])
    in_level = np.add.reduceat(times[on], starts)
    main = np.flatnonzero(in_level >= max(2, MAIN_LEVEL * n))
    if len(main) < MIN_LEVELS or n_on / n < MIN_ON:
        return 1.0
    ends = np.append(starts[1:], np.count_nonzero(on))
    levels = [slice(starts[i], ends[i]) for i in main]
    middles = [_median(residual[on][level], times[on][level]) for level in levels]
    off = min(0.5, (max(map(abs, middles)) + 0.5) / period)
    few = len(middles) * (2 * off) ** (len(middles) - 2)
    return float(min(1.0, max(looks * max(smooth, few), 1e-300)))


def shortest(delays: NDArray[np.int64]) -> Lattice | None:
    """The lattice of all delays, or of their shortest three quarters or half, its chance corrected for the looks.

    Where many packets met something else, only the shorter ones lie on levels. What is cut from a smooth distribution
    is smooth. The most evident lattice of at most `MAX_LEVELS` levels counts; without one, that of more levels.
    """
    if not len(delays):
        return None
    looks = [(fit(delays[delays <= np.quantile(delays, body)]), level) for body, level in BODIES.items()]
    lattices = [
        replace(lattice, p_value=min(1.0, lattice.p_value / level)) for lattice, level in looks if lattice is not None
    ]
    good = [lattice for lattice in lattices if MIN_LEVELS <= lattice.levels <= MAX_LEVELS]
    return min(good or lattices, key=lambda lattice: lattice.p_value, default=None)


def candidates(x: Floats) -> list[tuple[float, float]]:
    """Period and phase of the peaks of |mean(exp(2 pi i f x))|: 10 samples (or bins) to 4/9 of the range.

    The longest period, that of four levels, is a third of the range; a maximum at the very end of the search is not a
    peak.
    """
    width = max(1.0, float(np.ceil((x.max() + 1) / _BINS)))
    counts = np.bincount((x / width).astype(np.int64))
    low, high = np.quantile(x, [0.025, 0.975])
    size = 1 << int(np.ceil(np.log2(4 * len(counts))))
    lowest = max(1, int(_BEYOND * (MIN_LEVELS - 1) * size * width / max(high - low, width)))
    highest = size // MIN_PERIOD
    if lowest >= highest:
        return []
    spectrum = np.fft.rfft(counts, size)[: highest + 2]
    power = np.abs(spectrum)
    inner = power[lowest : highest + 1]
    peaks = np.flatnonzero((inner >= power[lowest - 1 : highest]) & (inner > power[lowest + 1 : highest + 2])) + lowest
    peaks = peaks[power[peaks] >= _PEAK * inner.max()][:_CANDIDATES]
    phases = -np.angle(spectrum[peaks]) / (2 * np.pi) * (size / peaks * width) + (width - 1) / 2
    return list(zip((size / peaks * width).tolist(), phases.tolist(), strict=True))
