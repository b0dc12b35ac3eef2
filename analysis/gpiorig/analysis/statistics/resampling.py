"""The circular block bootstrap, by weights of cells: bounded memory for any number of packets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics.order_statistics import CONFIDENCE

REPLICATES = 1000
CELLS = 1024
MIN_BLOCKS = 5  # of which a resample must consist, or there is no interval
_JACKKNIFE_BLOCKS = 200


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

    def sums(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """float64[c, ...]: sums of values[n, ...] over each cell."""
        if values.dtype == np.bool_:
            values = values.astype(np.int64)
        return np.add.reduceat(values, self.edges[:-1], axis=0).astype(np.float64)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """int64[c], rows of each cell."""
        return np.diff(self.edges)


@lru_cache(maxsize=12)
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
    edges = np.arange(cells + 1, dtype=np.int64) * n // cells
    long = min(cells, math.ceil(block * cells / n))
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


def means(values: NDArray[Any], resampling: Resampling, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[r, ...]: means of values[n, ...] in each resample."""
    rows = weights @ resampling.sizes
    sums = weights @ resampling.sums(values)
    return sums / (rows if values.ndim == 1 else rows[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class SortedCells:
    """A series sorted once, so that quantiles of any resample of it are quick to find.

    The sorted values are cut into groups; `counts[g, c]` is the number of values of group g in cell c. The weights of
    a resample times these counts give the group of a quantile; only that group is searched.

    Parameters
    ----------
    ordered
        The values, sorted.
    cells
        int32[n], cell of each sorted value.
    bounds
        int64[g + 1], where the groups begin in the sorted values.
    counts
        float64[g, c].
    """

    ordered: NDArray[Any]
    cells: NDArray[np.int32]
    bounds: NDArray[np.int64]
    counts: NDArray[np.float64]

    def quantiles(self, p: float, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[r]: in each resample, the value at position floor((size - 1) p) of its sorted values."""
        totals = np.cumsum(weights @ self.counts.T, axis=1)
        target = np.floor((totals[:, -1] - 1) * p)
        group = np.count_nonzero(totals <= target[:, None], axis=1)
        quantiles = np.empty(len(weights))
        for g in np.unique(group):
            rows = np.flatnonzero(group == g)
            part = slice(self.bounds[g], self.bounds[g + 1])
            before = totals[rows, g - 1] if g else np.zeros(len(rows))
            within = np.cumsum(weights[np.ix_(rows, self.cells[part])], axis=1)
            at = np.count_nonzero(within <= (target[rows] - before)[:, None], axis=1)
            quantiles[rows] = self.ordered[part][at]
        return quantiles


def sort_cells(values: NDArray[Any], resampling: Resampling) -> SortedCells:
    """Sort values[n] for quantiles of resamples."""
    n, cells = len(values), len(resampling.edges) - 1
    order = np.argsort(values, kind="stable")
    cell_of = np.repeat(np.arange(cells, dtype=np.int32), resampling.sizes)[order]
    groups = 1 + math.isqrt(n) // 4  # both the product with `counts` and the search in one group stay small
    bounds = np.arange(groups + 1, dtype=np.int64) * n // groups
    group_of = np.repeat(np.arange(groups, dtype=np.int64), np.diff(bounds))
    counts = np.bincount(group_of * cells + cell_of, minlength=groups * cells).reshape(groups, cells)
    return SortedCells(values[order], cell_of, bounds, counts.astype(np.float64))


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
