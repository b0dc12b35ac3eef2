"""The jitter budget: which share of a delay's variance, and of its upper tail, each step makes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.packets.path import Step
from gpiorig.analysis.packets.timelines import Steps
from gpiorig.analysis.statistics import dependence, intervals, resampling
from gpiorig.analysis.statistics.intervals import CONFIDENCE, NAN, Interval
from gpiorig.analysis.statistics.summary import resolved

TAIL_SHARE = 0.01
LEAST_TAIL = 10  # packets of a tail, of which fewer say nothing in general; of few packets the tail is a larger share
_LARGEST_TAIL = 0.25  # beyond, it is no tail
_TAIL_REACH = 3  # resamples take their tails from so many times the packets of the tail
_BATCH = 100


@dataclass(frozen=True, slots=True)
class Group:
    """Steps taken together, such as all that are spent on the radio's wait.

    Parameters
    ----------
    name
        What they have in common: the value of a `path.Kind`, or a node.
    steps
        Their places in `Budget.steps`.
    variance, tail
        As of `Budget`: the sums of the shares of the steps, with intervals of their own.
    """

    name: str
    steps: tuple[int, ...]
    variance: Interval
    tail: Interval


@dataclass(frozen=True, slots=True)
class Budget:
    """Shares of every step; each set of shares adds up to 1.

    Parameters
    ----------
    steps
        In the order of the path.
    variance
        One per step: cov(step, total) / var(total). A step that is short where others are long has a negative share.
    tail
        One per step: what it adds to the mean total of the slowest packets beyond the mean total of all, as a share of
        that excess. The mean step of the slowest less the mean step of all, over the same of the total.
    tail_packets
        How many packets are "the slowest": those that need as long as the one at `TAIL_SHARE`, or longer.
    tail_share
        Which share of the packets they are, such as 0.01.
    packets
        Packets the budget is made of.
    note
        Why there are no shares (all NaN), or what limits them; empty if nothing.
    by_kind, by_node
        The same of steps taken together, in the order of the path.
    """

    steps: tuple[Step, ...]
    variance: tuple[Interval, ...]
    tail: tuple[Interval, ...]
    tail_packets: int
    tail_share: float
    packets: int
    note: str = ""
    by_kind: tuple[Group, ...] = ()
    by_node: tuple[Group, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Shares:
    """One set of shares: of all packets, of the resamples, without a block each; all NaN rows where undefined.

    `blocks` is how many blocks have a say in them.
    """

    value: NDArray[np.float64]
    replicates: NDArray[np.float64]
    jackknife: NDArray[np.float64]
    blocks: int
    method: str
    note: str

    def interval(self, members: tuple[int, ...], confidence: float) -> Interval:
        """Of the sum of some steps."""
        take = list(members)
        value = float(self.value[take].sum())
        replicates, jackknife = (rows[:, take].sum(axis=1) for rows in (self.replicates, self.jackknife))
        if self.blocks < resampling.LEAST_BLOCKS or not np.isfinite(replicates).all() or math.isnan(value):
            note = self.note or "too few different packets for an interval"
            return Interval(value, NAN, NAN, "none", confidence, note)
        jackknife = jackknife[np.isfinite(jackknife)]
        low, high = resampling.limits(value, replicates, jackknife, blocks=self.blocks, confidence=confidence)
        return Interval(value, low, high, self.method, confidence, self.note)


def budget(steps: Steps, *, starts: NDArray[np.int64] | None = None, confidence: float = CONFIDENCE) -> Budget:
    """The budget of a route, with intervals by the block bootstrap (`resampling.resample`).

    The blocks are those that the squared distance of the total from its mean wants, for the tail also those that being
    one of the slowest wants. The shares are a property of this run, whatever the dependence; the intervals say how
    another run would differ.

    Parameters
    ----------
    steps
        Durations of the complete packets.
    starts
        int64[k], samples at which they were sent; without it they are in that order.
    confidence
        Of the intervals.
    """
    samples = steps.samples
    if starts is not None and (np.diff(starts) < 0).any():
        samples = samples[np.argsort(starts, kind="stable")]
    total = samples.sum(axis=1)
    kinds = _members([step.kind.value for step in steps.steps])
    nodes = _members([step.node for step in steps.steps])
    if not resolved(total):
        note = f"the whole delay of {len(total)} packets varies by no more than the analyzer resolves: no shares"
        none = Interval(NAN, NAN, NAN, "none", confidence, note)

        def undefined(groups: dict[str, tuple[int, ...]]) -> tuple[Group, ...]:
            return tuple(Group(name, members, none, none) for name, members in groups.items())

        nones = (none,) * len(steps.steps)
        return Budget(steps.steps, nones, nones, 0, NAN, len(total), note, undefined(kinds), undefined(nodes))
    slow = slowest(total)
    variance, tail = _variance_shares(samples, total), _tail_shares(samples, total, slow)

    def grouped(groups: dict[str, tuple[int, ...]]) -> tuple[Group, ...]:
        return tuple(
            Group(name, members, variance.interval(members, confidence), tail.interval(members, confidence))
            for name, members in groups.items()
        )

    each = [(column,) for column in range(len(steps.steps))]
    return Budget(
        steps=steps.steps,
        variance=tuple(variance.interval(members, confidence) for members in each),
        tail=tuple(tail.interval(members, confidence) for members in each),
        tail_packets=int(np.count_nonzero(slow)),
        tail_share=float(np.mean(slow)),
        packets=len(total),
        note=tail.note,
        by_kind=grouped(kinds),
        by_node=grouped(nodes),
    )


def slowest(total: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[k], the packets that need as long as the one at `TAIL_SHARE`, or longer; `LEAST_TAIL` at least."""
    count = min(len(total), max(LEAST_TAIL, math.ceil(Fraction(TAIL_SHARE).limit_denominator(1000) * len(total))))
    threshold = np.partition(total, len(total) - count)[len(total) - count]
    slow: NDArray[np.bool_] = total >= threshold
    return slow


def as_table(found: Budget) -> pa.Table:
    """One row per step, then one per kind and node."""
    of = ["step"] * len(found.steps) + ["kind"] * len(found.by_kind) + ["node"] * len(found.by_node)
    groups = (*found.by_kind, *found.by_node)
    names = [step.name for step in found.steps] + [group.name for group in groups]
    content = {"of": pa.array(of, pa.string()), "name": pa.array(names, pa.string())}
    variance = (*found.variance, *(group.variance for group in groups))
    tail = (*found.tail, *(group.tail for group in groups))
    for name, shares in (("variance", variance), ("tail", tail)):
        content[f"{name}_share"] = pa.array([share.value for share in shares], pa.float64())
        content[f"{name}_share_low"] = pa.array([share.low for share in shares], pa.float64())
        content[f"{name}_share_high"] = pa.array([share.high for share in shares], pa.float64())
        content[f"{name}_method"] = pa.array([share.method for share in shares], pa.string())
        content[f"{name}_note"] = pa.array([share.note for share in shares], pa.string())
    return columns.table(content)


def _members(names: list[str]) -> dict[str, tuple[int, ...]]:
    """The places of every name, in the order in which they first come."""
    return {name: tuple(i for i, other in enumerate(names) if other == name) for name in dict.fromkeys(names)}


def _variance_shares(samples: NDArray[np.int64], total: NDArray[np.int64]) -> _Shares:
    """cov(step, total) / var(total), from sums over cells: they are all that a resample needs."""
    centre = total.mean()
    block, dies_out = dependence.block_for((total - centre) ** 2)
    plan = resampling.resample(len(total), block)
    wide = samples.shape[1]
    # Sums over a cell of 1, total, total^2, of each step, and of each step times total, all less their means: all that
    # a resample needs.
    sums = np.empty((len(plan.sizes), 3 + 2 * wide))
    means = samples.mean(axis=0)
    for cell, (start, end) in enumerate(pairwise(plan.edges.tolist())):
        part, whole = samples[start:end] - means, total[start:end] - centre
        sums[cell, :3] = end - start, whole.sum(), whole @ whole
        sums[cell, 3 : 3 + wide], sums[cell, 3 + wide :] = part.sum(axis=0), whole @ part

    def shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        moments = weights @ sums
        moments = moments[:, 1:] / moments[:, :1]
        mean, square, each, product = moments[:, :1], moments[:, 1:2], moments[:, 2 : 2 + wide], moments[:, 2 + wide :]
        variance = square - mean * mean
        # A resample of equal packets has no shares, only what rounding leaves.
        variance = np.where(variance > 1e-9 * square, variance, NAN)
        result: NDArray[np.float64] = (product - each * mean) / variance
        return result

    note = intervals.block_note(plan, dies_out=dies_out)
    method = intervals.block_method(block, plan)
    all_rows = np.ones((1, len(plan.sizes)))
    return _Shares(shares(all_rows)[0], shares(plan.weights), shares(plan.without), plan.blocks, method, note)


def _tail_shares(samples: NDArray[np.int64], total: NDArray[np.int64], slow: NDArray[np.bool_]) -> _Shares:
    """(mean step of the slowest - mean step of all) / the same of the total; every resample has its own slowest.

    An interval is as wide as that of a mean of so many values as there are blocks with slow packets in them: ten slow
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
            each = part[:, cells]
            before = np.cumsum(each, axis=1) - each
            taken = np.clip(wanted[:, None] - before, 0, each)
            excess = taken @ candidates / wanted[:, None] - (part @ sums) / size[:, None]
            rows[i : i + _BATCH] = excess[:, :-1] / np.where(excess[:, -1:] > 0, excess[:, -1:], NAN)
        return rows

    share = count / len(total)
    note = ""
    if share > _LARGEST_TAIL:
        note = f"the slowest {count} of {len(total)} packets are no tail: too few packets, or too few values"
        candidates = candidates * NAN
    elif share > 1.5 * TAIL_SHARE:
        note = f"the slowest packets are {100 * share:.2g} % of all, not {100 * TAIL_SHARE:g} %"
    note = intervals.joined(note, intervals.block_note(plan, dies_out=dies_out))
    method = intervals.block_method(block, plan)
    all_rows = np.ones((1, len(plan.sizes)))
    return _Shares(
        shares(all_rows)[0], shares(plan.weights), shares(plan.without), min(plan.blocks, bunches), method, note
    )
