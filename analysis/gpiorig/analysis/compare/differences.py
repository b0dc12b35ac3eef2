"""Differences of a statistic between two runs, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.statistics import dependence, estimators, intervals, order_statistics, resampling, statistic_names
from gpiorig.analysis.statistics.intervals import NAN, Interval
from gpiorig.analysis.statistics.statistic_names import EXTREMES
from gpiorig.analysis.statistics.summary import resolved

Combine = Callable[[Any, Any], Any]  # of an old and a new value, or of arrays of them


def increase(old: Any, new: Any) -> Any:
    """The new value minus the old one."""
    return new - old


def relative_increase(old: Any, new: Any) -> Any:
    """The increase as a share of the old value; from an old value of 0 infinite, or 0 if the new one is 0, too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(new == old, 0.0, np.divide(new - old, old))


def ratio(old: Any, new: Any) -> Any:
    """The new value over the old one; NaN for an old value of 0."""
    return new / np.where(old == 0, NAN, old)


def between(base: Delays, new: Delays, name: str, statistic: str, *, combine: Combine = increase) -> Interval:
    """Compare a statistic of one delay between two runs by `difference`; in ns unless `combine` has no unit."""
    a, b = (run.samples(name) * run.period_ns for run in (base, new))
    settled = not resolved(base.samples(name)), not resolved(new.samples(name))
    return difference(a, b, statistic, combine=combine, settled=settled)


def difference(
    base: NDArray[Any],
    new: NDArray[Any],
    statistic: str,
    *,
    combine: Combine = increase,
    settled: tuple[bool, bool] = (False, False),
) -> Interval:
    """Compare a statistic of two series, by independent block bootstraps of both.

    Parameters
    ----------
    base, new
        float64[n], [m], in the order of time and in one unit.
    statistic
        A statistic of `intervals.for_statistic`.
    combine
        Function of both values; the difference unless given.
    settled
        Whether each series varies by no more than the analyzer resolves. Only the phase of sampling is then correlated
        in it, and it needs no blocks.
    """
    if min(len(base), len(new)) < 2:
        return Interval(NAN, NAN, NAN, "none", "too few packets")
    if statistic in EXTREMES:
        value = float(combine(estimators.extreme(base, statistic), estimators.extreme(new, statistic)))
        return Interval(value, NAN, NAN, "none", "what was seen: an extreme has no interval")
    sides = [estimators.named(values, statistic) for values in (base, new)]
    value = float(combine(*(side.value for side in sides)))
    blocks = [
        (1, True) if flat else dependence.block_for(*side.influence) for side, flat in zip(sides, settled, strict=True)
    ]
    plans = [
        resampling.resample(len(values), block[0], stream=stream)
        for stream, (values, block) in enumerate(zip((base, new), blocks, strict=True))
    ]
    fewest = min(plan.blocks for plan in plans)
    if fewest < resampling.MIN_BLOCKS or _too_few(sides, settled, statistic):
        return Interval(value, NAN, NAN, "none", "too few packets for an interval")
    replicates_of = [side.replicates(plan) for side, plan in zip(sides, plans, strict=True)]
    replicates = combine(replicates_of[0](plans[0].weights), replicates_of[1](plans[1].weights))
    without_block = [
        combine(replicates_of[0](plans[0].without), sides[1].value),
        combine(sides[0].value, replicates_of[1](plans[1].without)),
    ]
    if not all(np.isfinite(replicate).all() for replicate in (replicates, *without_block)):
        return Interval(value, NAN, NAN, "none", "not defined for some resamples")
    jackknife = np.concatenate([replicate - replicate.mean() for replicate in without_block])
    low, high = resampling.limits(value, replicates, jackknife, blocks=fewest)
    method = ", ".join(
        dict.fromkeys(intervals.block_method(block[0], plan) for block, plan in zip(blocks, plans, strict=True))
    )
    note = "" if all(dies_out for _, dies_out in blocks) else intervals.MAY_BE_SHORT
    return Interval(value, low, high, method, note)


def _too_few(sides: Sequence[estimators.Estimator], settled: Sequence[bool], statistic: str) -> bool:
    """Tell whether a quantile is too far out for the number of independent packets."""
    if statistic in estimators.NAMED:
        return False
    needed = order_statistics.needed_for(statistic_names.probability(statistic))
    return any(
        (len(influence) if flat else dependence.measure(influence).effective) < needed
        for side, flat in zip(sides, settled, strict=True)
        for influence in side.influence
    )
