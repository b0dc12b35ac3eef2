"""Breaks of a clock, where it changed its rate or jumped: the lines that its residual needs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import slope

Floats = NDArray[np.float64]
Span = tuple[int, int]

BLOCKS = 200
MIN_BLOCK_TIMESTAMPS = 5
MIN_STRAYED_BLOCK_TIMESTAMPS = 20  # if many are strays: of five, two or three often are, and such blocks adjoin
MANY_STRAYS = 0.05
MIN_BLOCKS = 3  # of a segment
MAX_SEGMENTS = 8
LEVEL = 0.005  # of the test of a break
PERMUTATIONS = 199
SEED = 1981
LOWEST = 5  # timestamps of which the least is used, where they can only be late
STRAY_DEVIATIONS = 10.0
BEND_PENALTY = 5.0  # times ln(blocks)


def bounds(x: Floats, y: Floats, *, quanta: tuple[float, float], lowest: bool = False) -> list[int]:
    """Indices at which segments begin and end: ``[0, n]`` for one line.

    The timestamps become up to 200 blocks of equal count, each the mean of its middle third, so that outliers do not
    count. Binary segmentation (L. Yu. Vostrikova, Soviet Mathematics Doklady 24, 1981, 55-59): the two lines with ends
    of their own that leave the least sum of squares, but for the block between them, which contains the break, are
    accepted if they leave a smaller part of that of one line than in 199 permutations of its residuals, from a fixed
    seed (J. Antoch, M. Huskova, Statistics & Probability Letters 53, 2001, 37-46); then each of the two is tested in
    the same way. So no distribution of the noise is assumed, but that blocks are exchangeable. Where they are not,
    since the clock wanders all the time, more than 8 segments or segments that wander result, and one line with a wide
    interval is the answer. The same applies to what lies within the quanta of one line.

    Parameters
    ----------
    x, y
        float64[n], ns, x sorted; y without most of its slope.
    quanta
        Steps of the timestamps, ns.
    lowest
        Whether only the least of each five timestamps counts: for timestamps that can only be late.
    """
    count = len(x)
    places = _lowest(y) if lowest else np.arange(count)
    x, y = x[places], y[places]
    blocks = _Blocks.from_points(x, y, quanta)
    if blocks is None:
        return [0, count]
    cuts = [_place(x, y, blocks, before, after) for before, after in pairwise(_segmented(blocks))]
    return [0, *(int(places[cut]) for cut in cuts), count]


def bends(x: Floats, straight: Floats, bent: Floats, *, quanta: tuple[float, float]) -> bool:
    """Tell whether a parabola explains a residual, and better than several lines do.

    By Schwarz's criterion (Annals of Statistics 6, 1978, 461-464) on the blocks, a coefficient costing 5 ln(blocks)
    variances rather than one, since blocks are correlated a little; a line has two, and a place. Where residuals still
    wander the parabola must take three quarters of the sum of squares: it takes much from any wandering.

    Parameters
    ----------
    x, straight, bent
        float64[n], ns: x, and the residuals of the line and of the parabola.
    quanta
        Steps of the timestamps, ns.
    """
    blocks, curved = _Blocks.from_points(x, straight, quanta), _Blocks.from_points(x, bent, (0.0, 0.0))
    if blocks is None or curved is None:
        return False
    penalty = BEND_PENALTY * np.log(len(blocks.x)) * _variance(blocks.x, blocks.y)
    plain, left = float(blocks.y @ blocks.y), float(curved.y @ curved.y)
    if plain - left <= penalty or (slope.wandering(curved.y)[0] and left > plain / 4):
        return False
    segments = _segmented(blocks)
    rest = _residuals(blocks.x, blocks.y, segments)
    return bool(left + penalty < float(rest @ rest) + 3 * penalty * (len(segments) - 1) or len(segments) == 1)


def _lowest(y: Floats) -> NDArray[np.int64]:
    """Place of the least of each five."""
    fives = y[: len(y) // LOWEST * LOWEST].reshape(-1, LOWEST)
    return np.asarray(np.arange(len(fives)) * LOWEST + fives.argmin(axis=1), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """Blocks of successive timestamps: where they begin and end, the mean instant and the level of each."""

    edges: NDArray[np.int64]
    x: Floats
    y: Floats

    @classmethod
    def from_points(cls, x: Floats, y: Floats, quanta: tuple[float, float]) -> _Blocks | None:
        """Blocks; None for too few timestamps, too many at one instant, or all within the quanta of one line."""
        many = len(y) > 0 and _strays(y) > MANY_STRAYS
        count = min(BLOCKS, len(x) // (MIN_STRAYED_BLOCK_TIMESTAMPS if many else MIN_BLOCK_TIMESTAMPS))
        if count < 2 * MIN_BLOCKS + 1:
            return None
        edges = np.linspace(0, len(x), count + 1).astype(np.int64)
        middle = np.array([x[a:b].mean() for a, b in pairwise(edges.tolist())])
        if not (np.diff(middle) > 0).all():
            return None
        level = _without_strays(middle, np.array([_middle(y[a:b]) for a, b in pairwise(edges.tolist())]))
        if sum(quanta) and slope.admitted(middle, level, sum(quanta)):
            return None
        return cls(edges, middle, level)


def _strays(y: Floats) -> float:
    """Share of the timestamps that are more than five scales away."""
    away = np.abs(y - np.median(y))
    return float((away > 5 * 1.4826 * np.median(away)).mean())


def _middle(values: Floats) -> float:
    """Mean of the middle third: little moved by outliers, and finer than the steps of quantised timestamps."""
    third = len(values) // 3
    return float(np.sort(values)[third : len(values) - third].mean())


def _without_strays(x: Floats, y: Floats) -> Floats:
    """A block far from both its neighbours, on the same side, becomes the nearer one: no rate and no step does that."""
    far = STRAY_DEVIATIONS * np.sqrt(_variance(x, y))
    medians = np.median(np.stack([y[:-2], y[1:-1], y[2:]]), axis=0)
    smooth = y.copy()
    smooth[1:-1] = np.where(np.abs(y[1:-1] - medians) > far, medians, y[1:-1])
    return smooth


def _variance(x: Floats, y: Floats) -> float:
    """Variance of a block: from the distances of blocks to the line between their neighbours, by their median."""
    share = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    away = y[1:-1] - (1 - share) * y[:-2] - share * y[2:]
    return float((1.4826 * np.median(np.abs(away) / np.sqrt(1 + share**2 + (1 - share) ** 2))) ** 2)


def _segmented(blocks: _Blocks) -> list[Span]:
    """Blocks [start, end) of each segment; the block that contains a break belongs to none."""
    random = np.random.default_rng(SEED)
    segments: list[Span] = []
    open_ = [(0, len(blocks.x))]
    while open_:
        start, end = open_.pop()
        cut = _break(blocks.x[start:end], blocks.y[start:end], random)
        if cut:
            open_ += [(start + cut + 1, end), (start, start + cut)]
        else:
            segments.append((start, end))
        if len(segments) + len(open_) > MAX_SEGMENTS:
            return [(0, len(blocks.x))]
    if slope.wandering(_residuals(blocks.x, blocks.y, segments))[0]:
        return [(0, len(blocks.x))]
    return segments


def _break(x: Floats, y: Floats, random: np.random.Generator) -> int:
    """The block between two lines that are better than one; 0 for none."""
    if len(x) < 2 * MIN_BLOCKS + 1:
        return 0
    rest = _residuals(x, y, [(0, len(x))])
    power = float(rest @ rest)
    left = _two_lines(x, rest[None])[0]
    best = int(np.argmin(left))
    if not power > 0 or left[best] / power > 1 - 1e-9:
        return 0
    shuffled = random.permuted(np.broadcast_to(rest, (PERMUTATIONS, len(x))), axis=1)
    again = _two_lines(x, shuffled).min(axis=1) / left_by_lines(x, shuffled)[:, -1]
    as_small = 1 + int((again <= left[best] / power).sum())
    return best + MIN_BLOCKS if as_small <= LEVEL * (PERMUTATIONS + 1) else 0


def _two_lines(x: Floats, y: Floats) -> Floats:
    """float64[p, k]: sums of squares left by lines before and after each block that may lie between them."""
    before = left_by_lines(x, y)[:, MIN_BLOCKS - 1 : -MIN_BLOCKS - 1]
    after = left_by_lines(-x[::-1], y[:, ::-1])[:, ::-1][:, MIN_BLOCKS + 1 : len(x) - MIN_BLOCKS + 1]
    return before + after


def left_by_lines(x: Floats, y: Floats) -> Floats:
    """float64[p, m]: sums of squares that a line leaves of the first 1, 2, … m points of each row."""
    x = (x - x[0]) / (x[-1] - x[0])
    n, sx, sxx = np.arange(1, len(x) + 1), np.cumsum(x), np.cumsum(x * x)
    sy, sxy, syy = np.cumsum(y, axis=1), np.cumsum(x * y, axis=1), np.cumsum(y * y, axis=1)
    vxx, vxy, vyy = sxx - sx * sx / n, sxy - sx * sy / n, syy - sy * sy / n
    return np.maximum(vyy - np.divide(vxy * vxy, vxx, out=np.zeros_like(vxy), where=vxx > 0), 0.0)


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    centred = x - x.mean()
    rate = float(centred @ y / (centred @ centred))
    return float(y.mean() - rate * x.mean()), rate


def _residuals(x: Floats, y: Floats, segments: list[Span]) -> Floats:
    parts = []
    for a, b in segments:
        offset, rate = _line(x[a:b], y[a:b])
        parts.append(y[a:b] - offset - rate * x[a:b])
    return np.concatenate(parts)


def _place(x: Floats, y: Floats, blocks: _Blocks, before: Span, after: Span) -> int:
    """The timestamp at which the line of a segment begins to fit better than that of the segment before it.

    By the sum of absolute errors: a few outliers are not a step.
    """
    first, second = (_line(blocks.x[a:b], blocks.y[a:b]) for a, b in (before, after))
    start, end = int(blocks.edges[before[1] - 1]), int(blocks.edges[after[0] + 1])
    x, y = x[start:end], y[start:end]
    gain = np.abs(y - first[0] - first[1] * x) - np.abs(y - second[0] - second[1] * x)
    return start + int(np.argmin(np.concatenate(([0.0], np.cumsum(gain)))))
