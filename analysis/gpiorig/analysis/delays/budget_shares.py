"""Shares of the parts of a delay in its time, its variance and its upper tail, with what a block bootstrap needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.steps import Durations
from gpiorig.analysis.statistics import dependence, intervals, resampling
from gpiorig.analysis.statistics.intervals import NAN, Interval

TAIL_SHARE = 0.01
MIN_TAIL = 10  # packets: fewer show nothing in general, so the tail of few packets is a larger share
_MAX_TAIL = 0.25  # share of the packets beyond which they are not a tail
_TAIL_REACH = 3  # times the packets of the tail, from which a resample takes its own
_BATCH = 100


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


def slowest(total: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[k], the packets that need as long as the one at `TAIL_SHARE`, or longer; `MIN_TAIL` at least."""
    count = min(len(total), max(MIN_TAIL, math.ceil(Fraction(TAIL_SHARE).limit_denominator(1000) * len(total))))
    threshold = np.partition(total, len(total) - count)[len(total) - count]
    slow: NDArray[np.bool_] = total >= threshold
    return slow


def time_shares(samples: Durations, total: NDArray[np.int64]) -> Shares:
    """Mean over the mean of the total, from the sums over cells."""
    block, dies_out = dependence.block_for(total)
    plan = resampling.resample(len(total), block)
    sums, summed = plan.sums(samples), plan.sums(total)

    def shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        totals = (weights @ summed)[:, None]
        return (weights @ sums) / np.where(totals > 0, totals, NAN)

    note = intervals.block_note(plan, dies_out=dies_out)
    all_rows = np.ones((1, len(plan.sizes)))
    method = intervals.block_method(block, plan)
    return Shares(shares(all_rows)[0], shares(plan.weights), shares(plan.without), plan.blocks, method, note)


def variance_shares(samples: Durations, total: NDArray[np.int64]) -> Shares:
    """cov(step, total) / var(total), from sums over cells: they are all that a resample needs."""
    centre = total.mean()
    block, dies_out = dependence.block_for((total - centre) ** 2)
    plan = resampling.resample(len(total), block)
    wide = samples.shape[1]
    # Sums over a cell of 1, total, total^2, of each step, and of each step times total, all minus their means: all that
    # a resample needs.
    sums = np.empty((len(plan.sizes), 3 + 2 * wide))
    means = samples.mean(axis=0)
    for cell, (start, end) in enumerate(pairwise(plan.edges.tolist())):
        part, summed = samples[start:end] - means, total[start:end] - centre
        sums[cell, :3] = end - start, summed.sum(), summed @ summed
        sums[cell, 3 : 3 + wide], sums[cell, 3 + wide :] = part.sum(axis=0), summed @ part

    def shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        moments = weights @ sums
        moments = moments[:, 1:] / moments[:, :1]
        mean, square, step, product = moments[:, :1], moments[:, 1:2], moments[:, 2 : 2 + wide], moments[:, 2 + wide :]
        variance = square - mean * mean
        # A resample of equal packets has no shares, only what rounding leaves.
        variance = np.where(variance > 1e-9 * square, variance, NAN)
        return (product - step * mean) / variance

    note = intervals.block_note(plan, dies_out=dies_out)
    method = intervals.block_method(block, plan)
    all_rows = np.ones((1, len(plan.sizes)))
    return Shares(shares(all_rows)[0], shares(plan.weights), shares(plan.without), plan.blocks, method, note)


def tail_shares(samples: Durations, total: NDArray[np.int64], slow: NDArray[np.bool_]) -> Shares:
    """(mean step of the slowest - mean step of all) / the same of the total; every resample has its own slowest.

    An interval is as wide as that of a mean of one value per block with slow packets in it: ten slow
    packets among a thousand are ten. Few slow packets show little of how they bunch, so the blocks are also those that
    the squared distance of the total from its mean wants.
    """
    centred = total - total.mean()
    block, dies_out = dependence.block_for(slow, centred**2)
    plan = resampling.resample(len(total), block)
    count = int(np.count_nonzero(slow))
    bunches = len(np.unique(np.flatnonzero(slow) // plan.block))
    reach = min(len(total), _TAIL_REACH * count)
    order = np.argsort(-total, kind="stable")[:reach]
    cells = np.searchsorted(plan.edges, order, side="right") - 1
    means = samples.mean(axis=0)
    candidates = np.concatenate([samples[order] - means, centred[order, None]], axis=1)
    sums = np.concatenate([plan.sums(samples) - plan.sizes[:, None] * means, plan.sums(centred)[:, None]], axis=1)

    def shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = np.empty((len(weights), samples.shape[1]))
        for i in range(0, len(weights), _BATCH):
            part = weights[i : i + _BATCH]
            size = part @ plan.sizes
            wanted = size * count / len(total)
            counts = part[:, cells]
            before = np.cumsum(counts, axis=1) - counts
            slowest_counts = np.clip(wanted[:, None] - before, 0, counts)
            excess = slowest_counts @ candidates / wanted[:, None] - (part @ sums) / size[:, None]
            rows[i : i + _BATCH] = excess[:, :-1] / np.where(excess[:, -1:] > 0, excess[:, -1:], NAN)
        return rows

    share = count / len(total)
    note = ""
    if share > _MAX_TAIL:
        note = f"the slowest {count} of {len(total)} packets are not a tail: too few packets, or too few values"
        candidates = candidates * NAN
    elif share > 1.5 * TAIL_SHARE:
        note = f"the slowest packets are {100 * share:.2g} % of all, not {100 * TAIL_SHARE:g} %"
    note = intervals.joined(note, intervals.block_note(plan, dies_out=dies_out))
    method = intervals.block_method(block, plan)
    all_rows = np.ones((1, len(plan.sizes)))
    return Shares(
        shares(all_rows)[0], shares(plan.weights), shares(plan.without), min(plan.blocks, bunches), method, note
    )
