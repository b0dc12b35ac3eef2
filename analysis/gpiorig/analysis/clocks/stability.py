"""Stability of a clock over averaging time: ADEV, MDEV, TDEV, MTIE, and the noise of each of three clocks.

Phase x is the time error of a clock against a reference, on an even grid of step tau0; a gap is NaN, and only
differences without a phase in a gap are used. Definitions: NIST Special Publication 1065 (W. J. Riley, Handbook of
Frequency Stability Analysis, 2008), ITU-T G.810 (1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import EventError

Floats = NDArray[np.float64]
Factors = NDArray[np.int64]

NAN = float("nan")
NS_PER_S = 1e9


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Phase on an even grid.

    Parameters
    ----------
    phase_ns
        float64[m], NaN without a timestamp nearby.
    tau0_ns
        Step of the grid.
    missing
        Points that are NaN.
    """

    phase_ns: Floats
    tau0_ns: int
    missing: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """Stability of one clock.

    Parameters
    ----------
    clock
        Its name; ``(three-cornered hat)`` in it where the reference's own noise was removed.
    taus_s
        float64[t], averaging times.
    adev, tdev_ns, mtie_ns
        float64[t]: overlapping Allan deviation, time deviation, maximum time interval error (ITU-T G.810); NaN where
        the record is too short.
    n, missing
        Phases it was computed from, and points of the grid without one.
    note
        A warning for the reader, such as negative variances of a three-cornered hat.
    """

    clock: str
    taus_s: Floats
    adev: Floats
    tdev_ns: Floats
    mtie_ns: Floats
    n: int = 0
    missing: int = 0
    note: str = ""


def to_grid(instants_ns: NDArray[np.int64], phase_ns: Floats) -> Grid:
    """Put phases on an even grid of their median distance; a point takes the nearest timestamp within half a step.

    The phase of a clock changes so little within half a step that it need not be interpolated; a point without a
    timestamp nearby is a gap and is not filled.

    Parameters
    ----------
    instants_ns
        int64[n], sorted.
    phase_ns
        float64[n], time error at these instants.
    """
    if len(instants_ns) != len(phase_ns):
        raise EventError(f"{len(instants_ns)} instants and {len(phase_ns)} phases; they must belong to each other.")
    if len(instants_ns) < 2:
        return Grid(np.array(phase_ns, dtype=np.float64), 1)
    step = max(int(np.median(np.diff(instants_ns))), 1)
    points = int(instants_ns[0]) + step * np.arange(int(instants_ns[-1] - instants_ns[0]) // step + 1)
    right = np.searchsorted(instants_ns, points).clip(1, len(instants_ns) - 1)
    nearest = right - (points - instants_ns[right - 1] <= instants_ns[right] - points)
    near = 2 * np.abs(instants_ns[nearest] - points) <= step
    grid = np.where(near, phase_ns[nearest], NAN)
    return Grid(grid, step, int((~near).sum()))


def octaves(points: int) -> Factors:
    """Averaging factors 1, 2, 4, … for which a record of this many phases gives an Allan deviation."""
    return 1 << np.arange(max((points - 1) // 2, 0).bit_length(), dtype=np.int64)


def adev(phase: Floats, tau0_s: float, factors: Factors) -> Floats:
    """Overlapping Allan deviation; phase in s, or in ns for ns per s.

    sigma^2(m tau0) = mean over i of (x[i + 2m] - 2 x[i + m] + x[i])^2 / (2 (m tau0)^2).
    """
    return np.array([_rms(_second(phase, m)) / (np.sqrt(2) * m * tau0_s) for m in factors.tolist()])


def mdev(phase: Floats, tau0_s: float, factors: Factors) -> Floats:
    """Modified Allan deviation: second differences of means over m phases."""
    return np.array([_rms(_mean_second(phase, m)) / (np.sqrt(2) * m * tau0_s) for m in factors.tolist()])


def tdev(phase: Floats, tau0_s: float, factors: Factors) -> Floats:
    """Time deviation: tau MDEV / sqrt 3, in the unit of the phase."""
    return np.asarray(factors * tau0_s * mdev(phase, tau0_s, factors) / np.sqrt(3))


def mtie(phase: Floats, tau0_s: float, factors: Factors) -> Floats:
    """Maximum time interval error: largest range of the phase in any window of m + 1 points.

    Extremes of windows of a power of two are made of those of half of it, and other windows of two of these that
    overlap: O(n log n) for all factors, in increasing order or not (S. Bregni, 1996, halves windows likewise).
    """
    wanted = {int(m) + 1 for m in factors.tolist() if m < len(phase)}
    largest: dict[int, float] = {}
    high, low = np.where(np.isnan(phase), -np.inf, phase), np.where(np.isnan(phase), np.inf, phase)
    width = 1
    while wanted - largest.keys():
        for size in wanted:
            if width <= size < 2 * width:
                span = len(high) - (size - width)
                ranges = np.maximum(high[:span], high[size - width :]) - np.minimum(low[:span], low[size - width :])
                largest[size] = float(ranges.max()) if np.isfinite(ranges).any() else NAN
        high, low = np.maximum(high[:-width], high[width:]), np.minimum(low[:-width], low[width:])
        width *= 2
    return np.array([largest.get(m + 1, NAN) for m in factors.tolist()])


def three_cornered_hat(ab: Floats, bc: Floats, ca: Floats) -> tuple[Floats, Floats, Floats]:
    """Deviations of three clocks from those of their differences: s_a^2 = (s_ab^2 + s_ca^2 - s_bc^2) / 2.

    It needs clocks whose noises are not correlated. A variance that comes out negative, since they are, or since one
    clock is far better than the others, is NaN: the noise of that clock is unknown.
    """
    ab, bc, ca = ab**2, bc**2, ca**2
    with np.errstate(invalid="ignore"):
        a, b, c = (np.sqrt(noise / 2) for noise in (ab + ca - bc, ab + bc - ca, ca + bc - ab))
    return a, b, c


def stability(name: str, grid: Grid) -> Stability:
    """ADEV, TDEV and MTIE of a clock, at octaves of the step of the grid.

    Its phases are best the residual of a fit, so that the numbers are small. A constant rate does not change ADEV and
    TDEV, but it does change MTIE.
    """
    points = int((~np.isnan(grid.phase_ns)).sum())
    factors = octaves(len(grid.phase_ns))
    tau0_s = grid.tau0_ns / NS_PER_S
    return Stability(
        clock=name,
        taus_s=np.asarray(factors * tau0_s, dtype=np.float64),
        adev=adev(grid.phase_ns / NS_PER_S, tau0_s, factors),
        tdev_ns=tdev(grid.phase_ns, tau0_s, factors),
        mtie_ns=mtie(grid.phase_ns, tau0_s, factors),
        n=points,
        missing=grid.missing,
        note="" if len(factors) else f"{points} phases are too few",
    )


def hat_stability(names: Sequence[str], a_b: Grid, b_c: Grid, c_a: Grid) -> tuple[Stability, ...]:
    """Stability of each of three clocks from the phases between them, all on one grid.

    MTIE is a range, not a variance, so the hat does not give it: NaN.
    """
    pairs = [stability("", grid) for grid in (a_b, b_c, c_a)]
    taus = min((pair.taus_s for pair in pairs), key=len)
    adevs, tdevs = (
        three_cornered_hat(*(getattr(pair, field)[: len(taus)] for pair in pairs)) for field in ("adev", "tdev_ns")
    )
    clocks = []
    for name, clock_adev, clock_tdev in zip(names, adevs, tdevs, strict=True):
        negative = {
            label: int((np.isnan(own) & ~np.isnan([getattr(pair, field)[: len(taus)] for pair in pairs]).any(0)).sum())
            for label, field, own in (("ADEV", "adev", clock_adev), ("TDEV", "tdev_ns", clock_tdev))
        }
        counts = " and ".join(f"{count} of {len(taus)} ({label})" for label, count in negative.items() if count)
        note = f"variance negative at {counts} averaging times: nothing is known there" * bool(counts)
        clocks.append(
            Stability(
                clock=f"{name} (three-cornered hat)",
                taus_s=taus,
                adev=clock_adev,
                tdev_ns=clock_tdev,
                mtie_ns=np.full(len(taus), NAN),
                n=min(pair.n for pair in pairs),
                missing=max(pair.missing for pair in pairs),
                note=note,
            )
        )
    return tuple(clocks)


def _second(phase: Floats, m: int) -> Floats:
    return phase[2 * m :] - 2 * phase[m:-m] + phase[: -2 * m]


def _mean_second(phase: Floats, m: int) -> Floats:
    """Second differences of means over m phases, NaN where one of the 3 m is missing."""
    if len(phase) < 3 * m:
        return np.empty(0)
    gaps = np.isnan(phase)
    sums = np.concatenate(([0.0], np.cumsum(np.where(gaps, 0.0, phase))))
    holes = np.concatenate(([0], np.cumsum(gaps)))
    ends = 3 * m
    second = (sums[ends:] - 3 * sums[2 * m : -m] + 3 * sums[m : -2 * m] - sums[:-ends]) / m
    return np.where(holes[ends:] > holes[:-ends], NAN, second)


def _rms(values: Floats) -> float:
    some = values[~np.isnan(values)]
    return float(np.sqrt(np.mean(some**2))) if len(some) else NAN
