"""The line below all timestamps of a host, which can only be late. The line through their middle is `fit.fit`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import breaks, line, slope
from gpiorig.analysis.clocks.clock_fit import ClockFit
from gpiorig.analysis.clocks.resolution import MIN_TIMESTAMPS, impossible, quanta
from gpiorig.analysis.clocks.segment import PPM, Segment
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.statistics.intervals import Interval

Instants = NDArray[np.int64]
Floats = NDArray[np.float64]
Point = tuple[float, float, int]  # x, y, and place among all

BLOCKS = 40
DRAWS = 200
SEED = 1999
CHORDS = 1024
STILL = 1e-3  # of the quanta: by less than that lines differ only if nothing dithers the timestamps
MIN_LEVELS = 10  # timestamps
CONSPIRING = 1.5
TINY = 1e-18
NS_PER_US = 1000


def minimum_delay(
    host_ns: Instants, reference_ns: Instants, *, host: str, reference: str, piecewise: bool = True
) -> ClockFit:
    """Fit the line that is nearest below all timestamps of a host.

    Of all lines a + b t with host - t >= a + b t for every timestamp, the one with the least sum of distances: a linear
    program, whose solution is the edge of the lower convex hull over the mean of the instants (the program: S. B. Moon,
    P. Skelly, D. Towsley, "Estimation and Removal of Clock Skew from Network Delay Measurements", IEEE INFOCOM 1999,
    pp. 227-234; the hull: L. Zhang, Z. Liu, C. H. Xia, "Clock Synchronization Algorithms for Network Measurements",
    IEEE INFOCOM 2002). Its rate is the clock's own however the delays are distributed, as long as small ones occur all
    the time; its offset is the clock's plus the smallest delay, which cannot be distinguished.

    Where the host's clock was stepped or its rate changed, as NTP does, a line fits each segment (`breaks.bounds`).

    The interval: half of 40 blocks of successive timestamps are drawn without replacement, 200 times, from a fixed
    seed; it is twice the root mean square distance of their lines from the fitted one. Half of the data has a
    wider spread than all of it, so that the interval is rather too wide (subsampling: D. N. Politis, J. P. Romano,
    Annals of Statistics 22, 1994, 2031-2050; an ordinary bootstrap fails for extremes). Delays that repeat, as after an
    adapter with a timer when the node sends nearly in step with it, may turn the line unseen: see `_levels`. Where the
    lines do not differ, as of coarse timestamps that nothing dithers, it holds every slope that the quanta admit.

    Parameters
    ----------
    host_ns, reference_ns
        int64[n], late timestamps and the instants of the same events.
    host, reference
        Names.
    """
    if len(host_ns) != len(reference_ns):
        raise EventError(f"{host}: {len(host_ns)} timestamps, {reference}: {len(reference_ns)}; pair them first.")
    order = np.argsort(reference_ns, kind="stable")
    host_ns, reference_ns = host_ns[order], reference_ns[order]
    why = impossible(host_ns, reference_ns)
    parts = [] if why else _parts(host_ns, reference_ns, piecewise)
    segments = [
        _segment(host_ns[part], reference_ns[part])
        for part in parts
        if not impossible(host_ns[part], reference_ns[part])
    ]
    return ClockFit(
        clock=host,
        reference=reference,
        method="minimum delay",
        segments=tuple(segments),
        backsteps=int((np.diff(host_ns) < 0).sum()),
        resets=0,
        quantisation_ns=quanta(host_ns, reference_ns)[0],
        note=why,
        skipped=len(host_ns) - sum(segment.n for segment in segments),
    )


def _parts(host_ns: Instants, reference_ns: Instants, piecewise: bool) -> list[slice]:
    """Timestamps of each segment, without those so near a break that they may belong to the other side."""
    if not piecewise:
        return [slice(0, len(host_ns))]
    x, y, _ = _differences(host_ns, reference_ns)
    steps = quanta(host_ns, reference_ns)
    cuts = breaks.bounds(x, y - line.fit(x, y, quanta=steps).rate * x, quanta=steps, lowest=True)
    margins = [0, *[2 * breaks.LOWEST] * (len(cuts) - 2), 0]
    ends = list(zip(cuts, margins, strict=True))
    return [slice(start + after, end - before) for (start, after), (end, before) in pairwise(ends)]


def _differences(host_ns: Instants, reference_ns: Instants) -> tuple[Floats, Floats, tuple[int, int]]:
    """Instants and differences as small floats, and the integer ns of reference and host that they are relative to."""
    first = int(reference_ns[0])
    centre = first + round(float((reference_ns - first).mean()))
    start = int(host_ns[0]) - first + centre
    return (
        (reference_ns - centre).astype(np.float64),
        (host_ns - start - (reference_ns - centre)).astype(np.float64),
        (
            centre,
            start,
        ),
    )


def _segment(host_ns: Instants, reference_ns: Instants) -> Segment:
    x, y, (centre, start) = _differences(host_ns, reference_ns)
    offset, rate = _below(x, y, 0.0)
    covariance, method = _spread(x, y, (offset, rate))
    deviations = np.sqrt(np.diag(covariance))
    residuals = y - offset - rate * x
    steps = sum(quanta(host_ns, reference_ns))
    if float(deviations[1]) * float(np.ptp(x)) < STILL * steps:
        turn = _open(x, residuals, steps)
        covariance = np.diag(np.maximum(np.diag(covariance), np.array([steps, turn]) ** 2 / 4))
        deviations = np.sqrt(np.diag(covariance))
        method += ", timestamps that nothing dithers"
    offset_ns = round(offset)
    note = "" if np.isfinite(deviations).all() else "too few timestamps for an interval"
    if level := _levels(residuals):
        turned = CONSPIRING * level / float(np.ptp(x)) / 2
        grow = np.array([1.0, 1.0 + turned / max(float(deviations[1]), TINY)])
        covariance = covariance * np.outer(grow, grow)
        deviations = deviations * grow
        method += f", delays that repeat within {level / NS_PER_US:.3g} µs"
    return Segment(
        start_ns=int(reference_ns[0]),
        end_ns=int(reference_ns[-1]),
        centre_ns=centre,
        origin_clock_ns=start + offset_ns,
        n=len(x),
        outliers=0,
        offset_ns=_interval(offset - offset_ns, float(deviations[0]), method, note),
        ppm=_interval(rate * PPM, float(deviations[1]) * PPM, method, note),
        drift_ppm_per_s=None,
        covariance=covariance,
        residual_std_ns=float(residuals.std(ddof=1)),
    )


def _interval(value: float, deviation: float, method: str, note: str) -> Interval:
    half = float("nan") if note else 2 * deviation
    return Interval(value, value - half, value + half, method, note=note)


def _spread(x: Floats, y: Floats, fitted: tuple[float, float]) -> tuple[Floats, str]:
    """Covariance of offset and rate by subsampling blocks of successive timestamps."""
    blocks = min(BLOCKS, len(x) // 2)
    if blocks < MIN_TIMESTAMPS:
        return np.full((2, 2), np.inf), "too few timestamps"
    edges = np.linspace(0, len(x), blocks + 1).astype(np.int64)
    hulls = [start + _hull(x[start:end], y[start:end]) for start, end in pairwise(edges.tolist())]
    random = np.random.default_rng(SEED)
    lines = []
    for _ in range(DRAWS):
        drawn = np.sort(random.permutation(blocks)[: (blocks + 1) // 2])
        points = np.concatenate([hulls[block] for block in drawn])
        lines.append(_below(x[points], y[points], 0.0))
    away = np.array(lines) - np.array(fitted)
    return away.T @ away / DRAWS, f"subsampling, half of {blocks} blocks"


def _open(x: Floats, delays: Floats, width: float) -> float:
    """By how much a line may be turned and still pass the smallest delays of all blocks within a band."""
    edges = np.linspace(0, len(x), min(BLOCKS, len(x) // 2) + 1).astype(np.int64)
    least = np.array([start + int(delays[start:end].argmin()) for start, end in pairwise(edges.tolist())])
    return slope.admitted(x[least], delays[least], width) if np.ptp(x[least]) > 0 else 0.0


def _levels(delays: Floats) -> float:
    """Distance by which delays that are not random may hide the line, ns; 0 if they look random.

    They may lie on levels: then the smaller half has a gap that is five mean gaps longer than the longest of as many
    random ones, ln(n) mean gaps; one set of random delays in a hundred or so has one. Or the smallest of 40 blocks
    follow each other, as the beat of a sender with the timer of an adapter makes them. Either is a quantisation of the
    timestamps by that height, whose errors turn a line, in the worst case, by 1.5 times that over its span.
    """
    lower = np.sort(delays)[: len(delays) // 2 + 1]
    if len(lower) < MIN_LEVELS:
        return 0.0
    longest = float(np.diff(lower).max())
    ordinary = float(lower[-1] - lower[0]) / (len(lower) - 1)
    jump = longest if longest > (np.log(len(delays)) + 5) * ordinary else 0.0
    edges = np.linspace(0, len(delays), min(BLOCKS, len(delays) // 2) + 1).astype(np.int64)[:-1]
    least = np.minimum.reduceat(delays, edges)
    return max(jump, float(np.ptp(least))) if slope.wandering(least)[0] else jump


def _below(x: Floats, y: Floats, at: float) -> tuple[float, float]:
    """Offset and rate of the line through the edge of the lower hull over `at`, or over the end nearest to it."""
    hull = _hull(x, y)
    if len(hull) == 1:
        return float(y[hull[0]]), 0.0
    right = int(np.searchsorted(x[hull], at).clip(1, len(hull) - 1))
    first, second = hull[right - 1], hull[right]
    rate = float((y[second] - y[first]) / (x[second] - x[first]))
    return float(y[first] - rate * x[first]), rate


def _hull(x: Floats, y: Floats) -> NDArray[np.int64]:
    """Indices of the lower convex hull of points sorted by x (A. M. Andrew's monotone chain, 1979).

    Points above a chord of the lowest points of 1024 blocks are excluded first: they are not on a lower hull.
    """
    edges = np.unique(np.linspace(0, len(x), CHORDS + 1).astype(np.int64))[:-1]
    least = np.repeat(np.minimum.reduceat(y, edges), np.diff(np.append(edges, len(y))))
    low = np.flatnonzero(y == least)
    low = low[np.searchsorted(low, edges)]
    inside = y > np.interp(x, x[low], y[low])
    inside[x < x[low[0]]] = inside[x > x[low[-1]]] = False
    inside[low] = False
    chain: list[Point] = []  # Python's floats: those of numpy take five times as long one by one
    points = np.flatnonzero(~inside)
    for point in zip(x[points].tolist(), y[points].tolist(), points.tolist(), strict=True):
        if chain and point[0] == chain[-1][0]:
            if point[1] >= chain[-1][1]:
                continue
            chain.pop()
        while len(chain) > 1 and _turns_up(chain[-2], chain[-1], point):
            chain.pop()
        chain.append(point)
    return np.array([place for _, _, place in chain], dtype=np.int64)


def _turns_up(first: Point, middle: Point, last: Point) -> bool:
    """Tell whether the middle point is on the chord of the others, or above it."""
    rise = (middle[1] - first[1]) * (last[0] - first[0])
    return rise >= (last[1] - first[1]) * (middle[0] - first[0])
