"""The circular block bootstrap, by weights of cells: bounded memory for any number of packets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics import tally
from gpiorig.analysis.statistics.dependence import Series
from gpiorig.analysis.statistics.order_statistics import CONFIDENCE

REPLICATES = 1000
CELLS = 1024
MIN_BLOCKS = 5  # of which a resample must consist, or there is no interval
_JACKKNIFE_BLOCKS = 200
_ROWS = 1 << 17  # of values that are worked on at once
_GROUPS = 64  # of values, in a search for a quantile


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """Resamples of a series, as weights of its cells.

    Parameters
    ----------
    edges
        int64[c + 1], rows at which the cells begin; the last is n.
    weights
        float64[r, c], how often each cell is in each resample.
    without
        float64[j, c], 0 for the cells of one block and 1 elsewhere: the delete-block jackknife. No row where there is
        only one block: nothing is left without it.
    blocks
        Of how many blocks a resample consists.
    block
        Rows of a block, at most.
    """

    edges: NDArray[np.int64]
    weights: NDArray[np.float64]
    without: NDArray[np.float64]
    blocks: int
    block: int

    def sums(self, values: Series) -> NDArray[np.float64]:
        """float64[c, ...]: sums of values[n, ...] over each cell."""
        sums = []
        for cells in self._slices():
            part = values[self.edges[cells][0] : self.edges[cells][-1]]
            part = part.astype(np.int64) if part.dtype == np.bool_ else part
            sums.append(np.add.reduceat(part, self.edges[cells][:-1] - self.edges[cells][0], axis=0))
        return np.concatenate(sums).astype(np.float64)

    def _slices(self) -> Iterator[slice]:
        """Edges of cells that have at most `_ROWS` rows together, or of one cell."""
        cells = max(1, int(_ROWS // self.sizes.max()))
        return (slice(start, start + cells + 1) for start in range(0, len(self.sizes), cells))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """int64[c], rows of each cell."""
        return np.diff(self.edges)


def resample(n: int, block: int, *, stream: int = 0) -> Resampling:
    """Resamples of n rows in blocks.

    The circular block bootstrap of D. N. Politis and J. P. Romano, "A circular block-resampling procedure for
    stationary data", in R. LePage and L. Billard (eds.), Exploring the Limits of Bootstrap, Wiley 1992, pp. 263-270:
    blocks of successive rows, drawn with replacement, the row after the last being the first. Up to `CELLS` rows a
    cell is a row, and this is that. Beyond, rows are taken together in `CELLS` cells and a block is an integer number
    of cells, so longer than asked for, if need be: longer blocks hold more of the dependence, and `CELLS` of them are
    enough for an interval. The seed is fixed: equal `n`, `block` and `stream` give equal weights.

    Parameters
    ----------
    n
        Rows, 1 at least.
    block
        Rows of a block, at least.
    stream
        Resamples of different streams are independent, as of two runs that are compared.
    """
    cells = min(n, CELLS)
    return _drawn(n, min(cells, math.ceil(block * cells / n)), stream)


@lru_cache(maxsize=12)
def _drawn(n: int, long: int, stream: int) -> Resampling:
    """Resamples in blocks of `long` cells."""
    cells = min(n, CELLS)
    edges = np.arange(cells + 1, dtype=np.int64) * n // cells
    blocks = max(1, cells // long)
    rng = np.random.default_rng((stream, n, long))
    starts = rng.integers(cells, size=(REPLICATES, blocks)) + cells * np.arange(REPLICATES)[:, None]
    counts = np.bincount(starts.ravel(), minlength=REPLICATES * cells).reshape(REPLICATES, cells)
    around = np.cumsum(np.concatenate([counts[:, cells - long + 1 :], counts], axis=1), axis=1)
    weights = around[:, long - 1 :].astype(np.float64)
    weights[:, 1:] -= around[:, : cells - 1]
    groups = min(blocks, _JACKKNIFE_BLOCKS)
    without = np.ones((groups, cells))
    for row, part in enumerate(np.array_split(np.arange(cells), groups)):
        without[row, part] = 0
    without = without if groups > 1 else without[:0]
    return Resampling(edges, weights, without, blocks, math.ceil(n / cells) * long)


def means(values: Series, plan: Resampling, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[r, ...]: means of values[n, ...] in each resample."""
    rows, sums = weights @ plan.sizes, weights @ plan.sums(values)
    return sums / (rows if sums.ndim == 1 else rows[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class ValueCells:
    """How many values of a group lie in each cell, so that quantiles of any resample are quick to find.

    The weights of a resample times these counts give the group of a quantile; only that group is searched, by groups of
    its own. Counts and weights are integers, so all of this is exact.

    Parameters
    ----------
    values, cells
        The values[n] and the cell of each.
    bounds
        The least value of each group, increasing.
    counts
        float64[g, c].
    is_single
        Whether a group is a single value.
    """

    values: NDArray[Any]
    cells: NDArray[np.int16]
    bounds: NDArray[Any]
    counts: NDArray[np.float64]
    is_single: bool

    def quantiles(self, p: float, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[r]: in each resample, the value at position floor((size - 1) p) of its sorted values."""
        sizes = weights @ self.counts.sum(axis=0)
        return self._at(np.floor((sizes - 1) * p), weights)

    def _at(self, places: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[r]: in each resample the value at a place of its sorted values."""
        totals = np.cumsum(weights @ self.counts.T, axis=1)
        group = np.count_nonzero(totals <= places[:, None], axis=1)
        if self.is_single:
            return np.asarray(self.bounds[group], dtype=np.float64)
        quantiles = np.empty(len(weights))
        for g in np.unique(group).tolist():
            rows = np.flatnonzero(group == g)
            before = totals[rows, g - 1] if g else 0.0
            quantiles[rows] = self._group(g)._at(places[rows] - before, weights[rows])
        return quantiles

    def _group(self, g: int) -> ValueCells:
        inside = self.values >= self.bounds[g]
        if g + 1 < len(self.bounds):
            inside &= self.values < self.bounds[g + 1]
        return _value_cells(self.values[inside], self.cells[inside], self.counts.shape[1])


def value_cells(values: NDArray[Any], resampling: Resampling) -> ValueCells:
    """Count values[n] for quantiles of resamples."""
    cells = len(resampling.edges) - 1
    return _value_cells(values, np.repeat(np.arange(cells, dtype=np.int16), resampling.sizes), cells)


def _value_cells(values: NDArray[Any], cells: NDArray[np.int16], count: int) -> ValueCells:
    distinct = tally.distinct(values)
    bounds = distinct[:: math.ceil(len(distinct) / _GROUPS)]
    counts = np.zeros(len(bounds) * count)
    for start in range(0, len(values), _ROWS):
        part = slice(start, start + _ROWS)
        group = np.searchsorted(bounds, values[part], side="right") - 1
        counts += np.bincount(group * count + cells[part], minlength=len(counts))
    return ValueCells(values, cells, bounds, counts.reshape(len(bounds), count), len(bounds) == len(distinct))


def limits(
    estimate: float,
    replicates: NDArray[np.float64],
    jackknife: NDArray[np.float64],
    *,
    blocks: int,
) -> tuple[float, float]:
    """Ends of a bootstrap interval: bias-corrected and accelerated (BCa), on expanded percentiles.

    BCa is B. Efron, "Better Bootstrap Confidence Intervals", JASA 82 (397), 1987, pp. 171-185, with the acceleration
    of the jackknife over blocks. Where it is not defined (all replicates equal or on one side of the estimate, as on
    quantised data; the jackknife does not vary), plain percentiles are used. The level is expanded from the
    normal to Student's t with `blocks` - 1 degrees of freedom and for the missing sqrt(blocks / (blocks - 1)):
    T. C. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69 (4), 2015,
    pp. 371-386.

    Parameters
    ----------
    estimate
        From all rows.
    replicates, jackknife
        float64, the same statistic of resamples and without one block each.
    blocks
        Blocks in a resample, 2 at least.
    """
    from scipy.special import ndtr, ndtri, stdtrit

    half = stdtrit(blocks - 1, (1 + CONFIDENCE) / 2) * math.sqrt(blocks / (blocks - 1))
    ends = np.array([-half, half])
    # Replicates equal to the estimate count half: on quantised data there are many.
    below = np.mean(replicates < estimate) + np.mean(replicates == estimate) / 2
    spread = jackknife.mean() - jackknife
    squares = float((spread**2).sum())
    if 0 < below < 1 and squares > 0:
        bias, acceleration = float(ndtri(below)), float((spread**3).sum()) / (6 * squares**1.5)
        denominator = 1 - acceleration * (bias + ends)
        if (denominator > 0).all():
            ends = bias + (bias + ends) / denominator
    low, high = np.quantile(replicates, np.clip(ndtr(ends), 0, 1))
    return float(low), float(high)
