"""Bands of residuals: the phases at which a node prints, each later or earlier than the others by a fixed time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks.resolution import quantum

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MIN_TIMESTAMPS = 60
MIN_SHARE = 0.01  # of all timestamps, in a band
MIN_IN_BAND = 10
MAX_BANDS = 8  # more are the levels of coarse timestamps
CORE = 8  # the shortest interval with one of this many timestamps shows how dense the densest band is
GAP_CORES = 4.0  # this many of which are a gap: half a mean of exponential delays, half the width of uniform ones
GAP_SPACINGS = 10.0  # and this many median spacings within a band: a few scattered timestamps are not a band
MIN_SWITCHES = 5  # from one band to the other or back; a clock that steps does so once
# And this share of the smaller band's timestamps: strays of one side of a step may lie in the other's band.
SWITCH_SHARE = 0.05
PASSES = 20
SLOPES = 64  # that are tried for the one which leaves the sharpest residuals
SAMPLE = 1000  # timestamps they are tried on
NEIGHBOURS = 20  # in the order of the residuals: their distances show how sharp they are
WINDOWS = 8  # of a record whose rate changes; as many again overlap them
TAIL = 0.01  # of the residuals, on either side, that the slopes need not bring together


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """The band of each timestamp.

    Parameters
    ----------
    band
        int64[n], -1 for a timestamp in none.
    shift_ns
        float64[n], by how much its band lies above the largest of those that it alternates with; 0 in none.
    levels_ns
        The different shifts, in the order of the bands.
    spread_ns
        Standard deviation within bands.
    """

    band: Integers
    shift_ns: Floats
    levels_ns: tuple[float, ...]
    spread_ns: float

    def centred(self, x: Floats, used: NDArray[np.bool_]) -> Floats:
        """The used x minus the mean of their band: what determines a slope where bands have offsets of their own."""
        values, band = x[used], self.band[used]
        means = np.bincount(band, values) / np.maximum(np.bincount(band), 1)
        return np.asarray(values - means[band] + values.mean())


def find(x: Floats, y: Floats, *, quanta: tuple[float, float], first: float) -> Bands | None:
    """Cut the residuals of a slope into bands at their gaps, fit one slope and an offset for each, until both settle.

    Where the share of a band changes over a record, one line through all timestamps is tilted by the slope of their
    mean. The first slope must be good to a gap's width over the record. Three are tried: `first`, and of 64 the one
    that leaves the sharpest residuals (least entropy, by spacings: O. Vasicek, Journal of the Royal Statistical Society
    B 38, 1976, 54-59), once over all that the residuals reach and once more around the best. The result with the least
    spread within bands is returned.

    A gap must be wider than what the timestamps' steps alone can leave, and bands must alternate: those of which
    one permanently follows the other are a step of the clock, which stays in `shift_ns` unchanged.

    Parameters
    ----------
    x, y
        float64[n], ns, x sorted.
    quanta
        Steps of the timestamps, clock and reference, ns.
    first
        The first slope, ns per ns.

    Returns
    -------
    Bands or None
        None without gaps: one band.
    """
    if len(x) < MIN_TIMESTAMPS or not np.ptp(x) > 0:
        return None
    narrowest = max(2 * quanta[1], 3 * quantum(np.rint(y).astype(np.int64)))
    candidates = [_settled(x, y, rate, narrowest) for rate in (first, *_sharpest(x, y, first))]
    some = [candidate for candidate in candidates if candidate is not None]
    return min(some, key=lambda candidate: candidate.spread_ns) if some else None


def local(x: Floats, y: Floats, *, quanta: tuple[float, float], first: float) -> Floats | None:
    """float64[n], heights of the bands of a clock whose rate changes, above each other, window by window.

    In a window the rate is steady enough for its bands to be seen. The timestamps that two windows share relate the
    bands of one to those of the next.

    Parameters
    ----------
    x, y, quanta, first
        Of `find`.

    Returns
    -------
    Floats or None
        None if less than half of the windows have bands.
    """
    count = min(WINDOWS, len(x) // MIN_TIMESTAMPS)
    if count < 2:
        return None
    edges = np.linspace(0, len(x), 2 * count + 1).astype(np.int64).tolist()
    shift, seen = np.zeros(len(x)), 0
    for start, shared, end in zip(edges[:-2], edges[1:-1], edges[2:], strict=True):
        bands = find(x[start:end], y[start:end], quanta=quanta, first=first)
        seen += bands is not None
        own = np.zeros(end - start) if bands is None else bands.shift_ns
        own = own + (float(np.median(shift[start:shared] - own[: shared - start])) if start else 0.0)
        shift[shared if start else 0 : end] = own[shared - start if start else 0 :]
    return shift if 2 * seen >= 2 * count - 1 else None


def _settled(x: Floats, y: Floats, rate: float, narrowest: float) -> Bands | None:
    """Bands of the residuals of a slope, then of the slope that follows from them, until they settle."""
    band = np.full(len(x), -1)
    for _ in range(PASSES):
        again = _cut(y - rate * x, narrowest)
        if again is None:
            return None
        if (again == band).all():
            break
        band = again
        rate = _common_slope(x, y, band)
    inside = band >= 0
    residuals = y - rate * x
    counts = np.bincount(band[inside])
    offsets = np.bincount(band[inside], residuals[inside]) / counts
    together = _alternating(band, len(counts))
    largest = np.array([max(members, key=lambda candidate: counts[candidate]) for members in together])
    if len(set(largest.tolist())) == len(counts):
        return None
    levels = offsets - offsets[largest]
    left = residuals[inside] - offsets[band[inside]]
    return Bands(band, np.where(inside, levels[band], 0.0), tuple(levels.tolist()), float(left.std()))


def _cut(residuals: Floats, narrowest: float) -> Integers | None:
    """The band of each timestamp; None if there are fewer than two, or too many."""
    order = np.argsort(residuals, kind="stable")
    values, core = residuals[order], len(residuals) // CORE
    gap = max(GAP_CORES * float((values[core:] - values[:-core]).min()), narrowest)
    ends = np.concatenate(([0], np.flatnonzero(np.diff(values) > gap) + 1, [len(values)]))
    large = np.diff(ends) >= max(MIN_SHARE * len(values), MIN_IN_BAND)
    starts, stops = ends[:-1][large], ends[1:][large]
    if not 2 <= len(starts) <= MAX_BANDS:
        return None
    spacing = np.array([np.median(np.diff(values[a:b])) for a, b in zip(starts, stops, strict=True)])
    between = np.concatenate(([np.inf], values[starts[1:]] - values[stops[:-1] - 1], [np.inf]))
    dense = GAP_SPACINGS * spacing <= np.minimum(between[:-1], between[1:])
    band = np.full(len(values), -1)
    for name, (start, stop) in enumerate(zip(starts[dense], stops[dense], strict=True)):
        band[order[start:stop]] = name
    return band if dense.sum() > 1 else None


def _common_slope(x: Floats, y: Floats, band: Integers) -> float:
    """Least squares with an offset for each band."""
    inside = band >= 0
    x, y, band = x[inside], y[inside], band[inside]
    counts = np.bincount(band)
    x = x - (np.bincount(band, x) / counts)[band]
    power = float(x @ x)
    return float(x @ y) / power if power > 0 else 0.0


def _alternating(band: Integers, count: int) -> list[set[int]]:
    """The bands that each band alternates with, at first or second hand, and itself."""
    together = [{number} for number in range(count)]
    for one, other in combinations(range(count), 2):
        pair = band[(band == one) | (band == other)]
        least = max(MIN_SWITCHES, SWITCH_SHARE * min((pair == one).sum(), (pair == other).sum()))
        if (np.diff(pair) != 0).sum() >= least and together[one] is not together[other]:
            together[one] |= together[other]
            for neighbour in together[one]:
                together[neighbour] = together[one]
    return together


def _sharpest(x: Floats, y: Floats, first: float) -> tuple[float, float]:
    """The slopes of the least entropy of the residuals: near `first`, and nearer still to the best of these."""
    some = np.unique(np.linspace(0, len(x) - 1, min(len(x), SAMPLE)).astype(np.int64))
    x, y = x[some], y[some]
    residuals = y - first * x
    reach = float(np.diff(np.quantile(residuals, [TAIL, 1 - TAIL]))[0]) / float(np.ptp(x))
    wide = _least_entropy(x, y, first + np.linspace(-reach, reach, SLOPES + 1))
    return wide, _least_entropy(x, y, wide + np.linspace(-reach, reach, SLOPES + 1) * 2 / SLOPES)


def _least_entropy(x: Floats, y: Floats, rates: Floats) -> float:
    residuals = np.sort(y - rates[:, None] * x, axis=1)
    apart = residuals[:, NEIGHBOURS:] - residuals[:, :-NEIGHBOURS]
    return float(rates[np.argmin(np.log(np.maximum(apart, 1.0)).sum(axis=1))])
