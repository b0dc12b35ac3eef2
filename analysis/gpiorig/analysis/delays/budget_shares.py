"""Shares of the parts of a delay in its time, its variance and its upper tail, with what a block bootstrap needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics import dependence, intervals, resampling
from gpiorig.analysis.statistics.dependence import Dependence, Derived
from gpiorig.analysis.statistics.intervals import NAN, Interval
from gpiorig.analysis.statistics.resampling import Resampling
from gpiorig.analysis.statistics.value_series import ValueSeries
from gpiorig.capture import mapped

TAIL_SHARE = 0.01
MIN_TAIL = 10  # packets: fewer show nothing in general, so the tail of few packets is a larger share
_MAX_TAIL = 0.25  # share of the packets beyond which they are not a tail
_TAIL_REACH = 3  # times the packets of the tail, from which a resample takes its own

Samples = NDArray[np.int64]
# Some packets, a slice or int64[r] of them: of each the durations of all columns, integers[r, c].
Rows: TypeAlias = Callable[[slice | Samples], NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """One set of shares, a column per step and part; rows are all NaN where undefined.

    Parameters
    ----------
    value
        float64[c], of all packets.
    replicates, jackknife
        float64[r, c], of the resamples; float64[b, c], without one block at a time.
    blocks
        Blocks that contribute to them.
    """

    value: NDArray[np.float64]
    replicates: NDArray[np.float64]
    jackknife: NDArray[np.float64]
    blocks: int
    method: str
    note: str

    def interval(self, members: tuple[int, ...]) -> Interval:
        """The interval of the sum of some columns."""
        columns = list(members)
        value = float(self.value[columns].sum())
        replicates, jackknife = (rows[:, columns].sum(axis=1) for rows in (self.replicates, self.jackknife))
        if self.blocks < resampling.MIN_BLOCKS or not np.isfinite(replicates).all() or math.isnan(value):
            note = self.note or "too few different packets for an interval"
            return Interval(value, NAN, NAN, "none", note)
        jackknife = jackknife[np.isfinite(jackknife)]
        low, high = resampling.limits(value, replicates, jackknife, blocks=self.blocks)
        return Interval(value, low, high, self.method, self.note)


class Total:
    """The total delay of all packets in the order of sending, with what every set of shares needs of it.

    Parameters
    ----------
    series
        int64[k], samples.
    slow
        bool[k], the packets of the tail; `slowest` unless given.
    """

    def __init__(self, series: ValueSeries, slow: NDArray[np.bool_] | None = None) -> None:
        self.series, self.samples = series, series.values
        self._slow = slow

    def __len__(self) -> int:
        return len(self.samples)

    @cached_property
    def mean(self) -> float:
        """Of the total delay."""
        return dependence.mean(self.samples)

    @cached_property
    def slow(self) -> NDArray[np.bool_]:
        """bool[k], the packets of the tail."""
        return slowest(self.series) if self._slow is None else self._slow

    @cached_property
    def squares(self) -> Dependence:
        """That of the squared distances from the mean."""
        return dependence.measure(Derived(self.samples, lambda part: np.square(part - self.mean)))


class Summands:
    """Columns that have shares in a total, worked on by the cells of its resamples: never copied as a whole.

    Parameters
    ----------
    rows
        The durations of some packets, in the order of sending.
    total
        Of the same packets.
    """

    def __init__(self, rows: Rows, total: Total) -> None:
        self._rows, self.total = rows, total
        plan = resampling.resample(max(1, len(total)), 1)
        self._cells = list(pairwise(plan.edges.tolist()))
        sums = [self.rows(slice(*cell)).sum(axis=0, dtype=np.int64) for cell in self._cells]
        self.sums: NDArray[np.float64] = np.stack(sums).astype(np.float64)
        self.means = self.sums.sum(axis=0) / max(1, len(total))

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.means)

    def rows(self, packets: slice | Samples) -> NDArray[Any]:
        """The columns of some packets."""
        mapped.relieve()
        return self._rows(packets)

    @cached_property
    def moments(self) -> NDArray[np.float64]:
        """float64[c, 3 + 2 w], sums over each cell.

        Of 1, total, total^2, of each column, and of each column times total, all minus their means: all that a
        resample needs.
        """
        sums = np.empty((len(self._cells), 3 + 2 * self.width))
        for cell, (start, end) in enumerate(self._cells):
            part, summed = self.rows(slice(start, end)) - self.means, self.total.samples[start:end] - self.total.mean
            sums[cell, :3] = end - start, summed.sum(), summed @ summed
            sums[cell, 3 : 3 + self.width], sums[cell, 3 + self.width :] = part.sum(axis=0), summed @ part
        return sums


def slowest(total: ValueSeries) -> NDArray[np.bool_]:
    """bool[k], the packets that need as long as the one at `TAIL_SHARE`, or longer; `MIN_TAIL` at least."""
    count = min(len(total), max(MIN_TAIL, math.ceil(Fraction(TAIL_SHARE).limit_denominator(1000) * len(total))))
    slow: NDArray[np.bool_] = total.values >= total.ordered[len(total) - count]
    return slow


def time_shares(summands: Summands) -> Shares:
    """Mean over the mean of the total, from the sums over cells."""
    total = summands.total
    block, dies_out = dependence.block_of([total.series.dependence])
    plan = resampling.resample(len(total), block)
    summed = plan.sums(total.samples)

    def shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        totals = (weights @ summed)[:, None]
        return (weights @ summands.sums) / np.where(totals > 0, totals, NAN)

    note = intervals.block_note(plan, dies_out=dies_out)
    return _shares(shares, plan, plan.blocks, intervals.block_method(block, plan), note)


def variance_shares(summands: Summands) -> Shares:
    """cov(step, total) / var(total), from sums over cells: they are all that a resample needs."""
    block, dies_out = dependence.block_of([summands.total.squares])
    plan = resampling.resample(len(summands.total), block)
    sums, wide = summands.moments, summands.width

    def shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        moments = weights @ sums
        moments = moments[:, 1:] / moments[:, :1]
        mean, square, step, product = moments[:, :1], moments[:, 1:2], moments[:, 2 : 2 + wide], moments[:, 2 + wide :]
        variance = square - mean * mean
        # A resample of equal packets has no shares, only what rounding leaves.
        variance = np.where(variance > 1e-9 * square, variance, NAN)
        return (product - step * mean) / variance

    note = intervals.block_note(plan, dies_out=dies_out)
    return _shares(shares, plan, plan.blocks, intervals.block_method(block, plan), note)


def tail_shares(summands: Summands) -> Shares:
    """(mean step of the slowest - mean step of all) / the same of the total; every resample has its own slowest.

    An interval is as wide as that of a mean of one value per block with slow packets in it: ten slow
    packets among a thousand are ten. Few slow packets show little of how they bunch, so the blocks are also those that
    the squared distance of the total from its mean wants.
    """
    total = summands.total
    block, dies_out = dependence.block_of([dependence.measure(total.slow), total.squares])
    plan = resampling.resample(len(total), block)
    count = int(np.count_nonzero(total.slow))
    bunches = len(np.unique(np.flatnonzero(total.slow) // plan.block))
    candidates = _slowest_rows(total, min(len(total), _TAIL_REACH * count))
    cells = np.searchsorted(plan.edges, candidates, side="right") - 1
    # Whole numbers near the means are subtracted: sums of what is left do not round.
    origins = np.rint(np.append(summands.means, total.mean))
    sums = np.concatenate([summands.sums, plan.sums(total.samples)[:, None]], axis=1) - plan.sizes[:, None] * origins
    share = count / len(total)
    is_tail = share <= _MAX_TAIL

    def delays(part: slice) -> NDArray[np.float64]:
        rows = candidates[part]
        columns = np.concatenate([summands.rows(rows), total.samples[rows, None]], axis=1)
        return np.asarray(columns - origins, dtype=np.float64)

    def shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        size = weights @ plan.sizes
        places = size * count / len(total)
        slow = _sums_to(places, weights, cells, delays) if is_tail else np.full((len(weights), len(origins)), NAN)
        excess = slow / places[:, None] - (weights @ sums) / size[:, None]
        return np.asarray(excess[:, :-1] / np.where(excess[:, -1:] > 0, excess[:, -1:], NAN))

    note = ""
    if not is_tail:
        note = f"the slowest {count} of {len(total)} packets are not a tail: too few packets, or too few values"
    elif share > 1.5 * TAIL_SHARE:
        note = f"the slowest packets are {100 * share:.2g} % of all, not {100 * TAIL_SHARE:g} %"
    note = intervals.joined(note, intervals.block_note(plan, dies_out=dies_out))
    return _shares(shares, plan, min(plan.blocks, bunches), intervals.block_method(block, plan), note)


def _slowest_rows(total: Total, count: int) -> Samples:
    """int64[count], the packets with the longest delays, the longest first, equal ones in their order."""
    rows = np.flatnonzero(total.samples >= total.series.ordered[len(total) - count])
    return rows[np.argsort(-total.samples[rows], kind="stable")[:count]]


def _sums_to(
    places: NDArray[np.float64],
    weights: NDArray[np.float64],
    cells: Samples,
    rows: Callable[[slice], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """float64[r, c], in each resample the sums over the rows before a place; of the row at the place a fraction.

    Weights and rows are integers: the sums over groups of rows, by cell, are exact, and only within the group of the
    place are rows taken one by one.

    Parameters
    ----------
    places
        float64[r].
    weights
        float64[r, cells], how often each cell is in a resample.
    cells, rows
        int64[n], the cell of each row; the rows in their order, float64[n, c], a part of them at a time.
    """
    bounds = np.linspace(0, len(cells), math.isqrt(len(cells)) + 1).astype(np.int64)
    groups, count = len(bounds) - 1, weights.shape[1]
    group_of = np.repeat(np.arange(groups), np.diff(bounds))
    counts = np.bincount(group_of * count + cells, minlength=groups * count).reshape(groups, count)
    until = np.cumsum(weights @ counts.T, axis=1)
    group = np.count_nonzero(until <= places[:, None], axis=1)
    wide = rows(slice(0, 0)).shape[1]
    sums, of_groups = np.empty((len(weights), wide)), np.zeros((count, wide))
    for g in range(int(group.max(initial=-1)) + 1):
        chosen = np.flatnonzero(group == g)
        sums[chosen] = weights[chosen] @ of_groups
        if g < groups:
            part = slice(bounds[g], bounds[g + 1])
            values, times = rows(part), weights[np.ix_(chosen, cells[part])]
            rest = places[chosen] - (until[chosen, g - 1] if g else 0.0)
            sums[chosen] += np.clip(rest[:, None] - (np.cumsum(times, axis=1) - times), 0, times) @ values
            np.add.at(of_groups, cells[part], values)
    return sums


def _shares(
    shares: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    plan: Resampling,
    blocks: int,
    method: str,
    note: str,
) -> Shares:
    everything = np.ones((1, len(plan.sizes)))
    return Shares(shares(everything)[0], shares(plan.weights), shares(plan.without), blocks, method, note)
