"""Modes: delays that gather at several places, as those of packets that do and do not find a queue empty.

The dip test decides whether there is more than one place; their places and weights come from a mixture
of normal distributions whose number BIC chooses. Components between which the density has no valley are one mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.attribution.series import SEED, effective_n, grouped_share
from gpiorig.analysis.number_text import count_text, share_text, time_text
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES

Knots = NDArray[np.int64]

# Quantiles of sqrt(n) dip of uniform samples and the probability to reach them: `simulate(1000, 20000)`. Smaller n have
# smaller ones, so that their p-values are on the safe side.
_REACHED = (0.5, 0.1, 0.05, 0.01, 0.002)
_QUANTILES = (0.371, 0.494, 0.533, 0.618, 0.686)
Floats = NDArray[np.float64]

MIN_DELAYS = 30
MAX_COMPONENTS = 8
MAX_DELAYS = 1500  # the dip of more takes long and gives the same
VALLEY = 0.8  # of the lower of two peaks: a shallower valley does not separate
MIN_WEIGHT = 0.01  # of a mode
MANY_PLACES = 6  # equally far apart: ticks of a clock or a lattice, not modes
_BINS = 400
_ITERATIONS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Modes of a mixture of normal distributions; lengths in samples.

    Parameters
    ----------
    places
        float64[m], maxima of the density, increasing.
    valleys
        float64[m - 1], minima between them.
    components
        Normal distributions, by BIC.
    """

    places: Floats
    valleys: Floats
    components: int


def dithered(delays: Floats) -> Floats:
    """Sorted delays with uniform noise as wide as the resolution that hides it; the same for equal data.

    Delays that a coarser clock makes lie on a grid of its ticks, which are not modes: noise is as wide as they are.
    """
    noise = np.random.default_rng(SEED).uniform(-0.5, 0.5, len(delays))
    return np.sort(delays + max(float(RESOLUTION_SAMPLES), _grain(delays)) * noise)


def _grain(delays: Floats) -> float:
    """Distance of neighbouring places, if there are many and most are equally near; 0 otherwise."""
    gaps = np.diff(np.unique(delays))
    return float(gaps.min()) if len(gaps) >= MANY_PLACES - 1 and np.median(gaps) == gaps.min() else 0.0


def fit(delays: Floats) -> Mixture:
    """Modes of a mixture whose number of components has the least BIC (Schwarz, Annals of Statistics 6, 1978).

    Expectation and maximisation (Dempster, Laird and Rubin, JRSS B 39, 1977) on a histogram, which starts from equal
    parts of the widest gaps; no component is narrower than the resolution or a bin.
    """
    low, high = float(delays.min()), float(delays.max())
    counts, edges = np.histogram(delays, bins=_BINS)
    x, w = ((edges[1:] + edges[:-1]) / 2)[counts > 0], counts[counts > 0].astype(np.float64)
    floor = max(RESOLUTION_SAMPLES / np.sqrt(12), (high - low) / _BINS)
    best, least = (np.ones(1), np.array([low]), np.array([floor])), np.inf
    for k in range(1, min(MAX_COMPONENTS, len(x)) + 1):
        modes, likelihood = _maximise(x, w, k, floor)
        score = (3 * k - 1) * np.log(len(delays)) - 2 * likelihood
        if score < least:
            best, least = modes, score
    grid = np.linspace(low, high, 4 * _BINS)
    density = _densities(grid, *best).sum(axis=0)
    return _modes(grid, density, len(best[0]))


def _maximise(x: Floats, w: Floats, k: int, floor: float) -> tuple[tuple[Floats, Floats, Floats], float]:
    """Weights, means and widths of k components, and their log-likelihood."""
    cuts = np.sort(np.argsort(-np.diff(x), kind="stable")[: k - 1]) + 1
    parts = [part for part in np.split(np.arange(len(x)), cuts) if len(part)]
    weights = np.array([w[part].sum() for part in parts]) / w.sum()
    means = np.array([np.average(x[part], weights=w[part]) for part in parts])
    widths = np.array([np.sqrt(np.average((x[p] - m) ** 2, weights=w[p])) for p, m in zip(parts, means, strict=True)])
    widths = np.maximum(widths, floor)
    before = -np.inf
    for _ in range(_ITERATIONS):
        density = _densities(x, weights, means, widths)
        total = np.maximum(density.sum(axis=0), 1e-300)
        likelihood = float(w @ np.log(total))
        if likelihood - before < 1e-6 * abs(likelihood):
            break
        before = likelihood
        share = density / total * w
        size = np.maximum(share.sum(axis=1), 1e-12)
        weights, means = size / size.sum(), share @ x / size
        widths = np.maximum(np.sqrt(np.sum(share * (x - means[:, None]) ** 2, axis=1) / size), floor)
    return (weights, means, widths), likelihood


def _densities(x: Floats, weights: Floats, means: Floats, widths: Floats) -> Floats:
    z = (x - means[:, None]) / widths[:, None]
    densities: Floats = (weights / widths)[:, None] * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return densities


def _modes(grid: Floats, density: Floats, components: int) -> Mixture:
    """Maxima of the density that a valley parts from the next; the shallowest valley is filled first."""
    padded = np.concatenate([[0.0], density, [0.0]])
    peaks = np.flatnonzero((density > padded[:-2]) & (density >= padded[2:])).tolist()
    valleys = [a + int(np.argmin(density[a:b])) for a, b in pairwise(peaks)]
    mass = np.cumsum(density) / density.sum()
    while valleys:
        depth = [density[v] / min(density[peaks[i]], density[peaks[i + 1]]) for i, v in enumerate(valleys)]
        worst = int(np.argmax(depth))
        ends = [0.0, *mass[valleys].tolist(), 1.0]
        sizes = np.diff(ends)
        if depth[worst] <= VALLEY:
            thin = int(np.argmin(sizes))
            if sizes[thin] >= MIN_WEIGHT:
                break
            # A mode too light to count joins the neighbour beyond the shallower valley.
            sides = [v for v in (thin - 1, thin) if 0 <= v < len(valleys)]
            worst = max(sides, key=lambda v: depth[v])
        lower = worst if density[peaks[worst]] < density[peaks[worst + 1]] else worst + 1
        del valleys[worst], peaks[lower]
    return Mixture(places=grid[peaks], valleys=grid[valleys], components=components)


def test(delays: NDArray[np.int64], *, period_ns: float) -> Finding | None:
    """Test delays for several modes; None where there are too few.

    Parameters
    ----------
    delays
        int64[n], samples, in the order of sending.
    period_ns
        Nanoseconds per sample.
    """
    if len(delays) < MIN_DELAYS:
        return None
    values = delays.astype(np.float64)
    used = values
    if len(values) > MAX_DELAYS:
        used = values[np.sort(np.random.default_rng(SEED).choice(len(values), MAX_DELAYS, replace=False))]
    depth = dip(dithered(used))
    p = p_value(depth, effective_n(used))
    numbers: dict[str, Interval | float | int | str] = {"dip": depth, "modes": 1, "packets": len(delays)}
    if p > 0.05:  # no other test of the step makes it a finding: the mixture is not worth its time
        return Finding(kind="modes", sentence="The delays have one mode.", p_value=p, share=0.0, numbers=numbers)
    mixture = fit(values)
    labels = np.searchsorted(mixture.valleys, values)
    weights = np.bincount(labels, minlength=len(mixture.places)) / len(values)
    # The place of a mode is the median of what it holds: a number of samples, not of the histogram's bins.
    places = [float(np.median(values[labels == i])) * period_ns for i in range(len(weights)) if weights[i] > 0]
    weights = weights[weights > 0]
    numbers["modes"] = len(places)
    for i, (place, weight) in enumerate(zip(places, weights.tolist(), strict=True), 1):
        numbers |= {f"place_{i}_ns": place, f"weight_{i}": weight}
    share = grouped_share(values, labels)
    listed = ", ".join(f"{time_text(a)} ({share_text(b)})" for a, b in zip(places, weights.tolist(), strict=True))
    if len(places) < 2:
        p = 1.0
    # With as many components as are tried, more of them would describe the delays better.
    roughly = " roughly" if mixture.components == MAX_COMPONENTS else ""
    return Finding(
        kind="modes",
        sentence=(
            f"The delays gather{roughly} at {count_text(len(places), 'place')}: {listed} of"
            f" {count_text(len(delays), 'packet')} (dip {depth:.3f}), which makes {share_text(share)} of the variance."
        ),
        p_value=p,
        share=share,
        numbers=numbers,
    )


def dip(values: Floats) -> float:
    """The dip of distinct values, sorted: 1/(2 n) at least, 1/4 at most.

    It is the largest distance between the empirical distribution function and the unimodal one nearest to it; among
    unimodal distributions the uniform one has the largest dips. J. A. Hartigan and P. M. Hartigan, "The Dip Test of
    Unimodality", Annals of Statistics 13 (1), 1985, pp. 70-84; computed after P. M. Hartigan, "Algorithm AS 217",
    Applied Statistics 34 (3), 1985, pp. 320-325.
    """
    n = len(values)
    if n < 2 or values[0] == values[-1]:
        return 0.5 / max(n, 1)
    low, high, largest = 0, n - 1, 1.0
    while True:
        minorant, majorant = _hull(values, low, high, sign=1.0), _hull(values, low, high, sign=-1.0)
        at_minorant = np.interp(values[minorant], values[majorant], majorant) - minorant
        at_majorant = majorant - np.interp(values[majorant], values[minorant], minorant)
        if at_minorant.max() >= at_majorant.max():
            new_low = int(minorant[np.argmax(at_minorant)])
            new_high = int(majorant[np.searchsorted(majorant, new_low)])
        else:
            new_high = int(majorant[np.argmax(at_majorant)])
            new_low = int(minorant[np.searchsorted(minorant, new_high, side="right") - 1])
        if max(at_minorant.max(), at_majorant.max()) + 1 <= largest:
            break
        left, right = np.arange(low, new_low + 1), np.arange(new_high, high + 1)
        above = left - np.interp(values[left], values[minorant], minorant) + 1
        below = np.interp(values[right], values[majorant], majorant) - right + 1
        largest = max(largest, float(above.max(initial=0)), float(below.max(initial=0)))
        if (new_low, new_high) == (low, high):
            break
        low, high = new_low, new_high
    return largest / (2 * n)


def _hull(values: Floats, low: int, high: int, *, sign: float) -> Knots:
    """Knots of the greatest convex minorant (sign 1) or the least concave majorant (-1) of (value, index)."""
    x = values[low : high + 1].tolist()
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) > 1:
            b, a = hull[-1], hull[-2]
            if sign * ((b - a) * (x[i] - x[b]) - (i - b) * (x[b] - x[a])) >= 0:
                hull.pop()
            else:
                break
        hull.append(i)
    return np.array(hull, dtype=np.int64) + low


def p_value(dip: float, n: float) -> float:
    """Probability of such a dip, or a larger one, of n uniform values; interpolated in the logarithm.

    Beyond the last quantile the logarithm continues with the square of the dip, as the
    tail of a Brownian bridge's supremum.
    """
    scaled = dip * np.sqrt(n)
    squares, logs = np.square(_QUANTILES), np.log(_REACHED)
    if scaled <= _QUANTILES[0]:
        return 1.0
    if scaled <= _QUANTILES[-1]:
        return float(np.exp(np.interp(scaled**2, squares, logs)))
    slope = (logs[-1] - logs[-3]) / (squares[-1] - squares[-3])
    return float(max(np.exp(logs[-1] + slope * (scaled**2 - squares[-1])), 1e-300))


def simulate(n: int, samples: int) -> Floats:
    """sqrt(n) dip of uniform samples, sorted: the source of `_QUANTILES`."""
    rng = np.random.default_rng(1985)
    dips: Floats = np.sort([dip(np.sort(rng.random(n))) for _ in range(samples)]) * np.sqrt(n)
    return dips
