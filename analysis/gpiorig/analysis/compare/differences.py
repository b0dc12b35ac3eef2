"""How a statistic differs between two runs, with an interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.statistics import dependence, estimators, intervals, order_statistics, resampling
from gpiorig.analysis.statistics.estimators import EXTREMES
from gpiorig.analysis.statistics.intervals import CONFIDENCE, NAN, Interval
from gpiorig.analysis.statistics.summary import resolved

Combine = Callable[[Any, Any], Any]  # of an old and a new value, or of arrays of them


def less(old: Any, new: Any) -> Any:
    """How much more the new value is."""
    return new - old


def less_relative(old: Any, new: Any) -> Any:
    """How much more the new value is, as a share of the old one; of none infinite, or 0 if it is still none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(new == old, 0.0, np.divide(new - old, old))


def ratio(old: Any, new: Any) -> Any:
    """The new value over the old one; NaN of none."""
    return new / np.where(old == 0, NAN, old)


def between(base: Delays, new: Delays, name: str, statistic: str, *, combine: Combine = less) -> Interval:
    """How a statistic of one delay differs between two runs, by `difference`; in ns unless `combine` has no unit."""
    a, b = (run.samples(name) * run.period_ns for run in (base, new))
    settled = not resolved(base.samples(name)), not resolved(new.samples(name))
    return difference(a, b, statistic, combine=combine, settled=settled)


def difference(
    base: NDArray[Any],
    new: NDArray[Any],
    statistic: str,
    *,
    combine: Combine = less,
    confidence: float = CONFIDENCE,
    settled: tuple[bool, bool] = (False, False),
) -> Interval:
    """How a statistic differs between two series, by independent block bootstraps of both.

    Parameters
    ----------
    base, new
        float64[n], [m], in the order of time and in one unit.
    statistic
        What `intervals.of_statistic` takes.
    combine
        What is made of both values; the difference unless given.
    settled
        Whether each series varies by no more than the analyzer resolves. What hangs together in it is then the phase of
        sampling only, and it needs no blocks.
    """
    if min(len(base), len(new)) < 2:
        return Interval(NAN, NAN, NAN, "none", confidence, "too few packets")
    if statistic in EXTREMES:
        value = float(combine(estimators.extreme(base, statistic), estimators.extreme(new, statistic)))
        return Interval(value, NAN, NAN, "none", confidence, "what was seen: an extreme has no interval")
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
    if fewest < resampling.LEAST_BLOCKS or _too_few(sides, settled, statistic, confidence):
        return Interval(value, NAN, NAN, "none", confidence, "too few packets for an interval")
    of = [side.replicates(plan) for side, plan in zip(sides, plans, strict=True)]
    replicates = combine(of[0](plans[0].weights), of[1](plans[1].weights))
    left_out = [combine(of[0](plans[0].without), sides[1].value), combine(sides[0].value, of[1](plans[1].without))]
    if not all(np.isfinite(replicate).all() for replicate in (replicates, *left_out)):
        return Interval(value, NAN, NAN, "none", confidence, "not defined for some resamples")
    jackknife = np.concatenate([replicate - replicate.mean() for replicate in left_out])
    low, high = resampling.limits(value, replicates, jackknife, blocks=fewest, confidence=confidence)
    method = ", ".join(
        dict.fromkeys(intervals.block_method(block[0], plan) for block, plan in zip(blocks, plans, strict=True))
    )
    note = "" if all(dies_out for _, dies_out in blocks) else intervals.MAY_BE_SHORT
    return Interval(value, low, high, method, confidence, note)


def _too_few(sides: Sequence[estimators.Estimator], settled: Sequence[bool], statistic: str, confidence: float) -> bool:
    """Whether a quantile lies too far out for the independent packets there are."""
    if statistic in ("mean", "std", "iqr"):
        return False
    needed = order_statistics.needed_for(estimators.probability(statistic), confidence=confidence)
    return any(
        (len(influence) if flat else dependence.measure(influence).effective) < needed
        for side, flat in zip(sides, settled, strict=True)
        for influence in side.influence
    )
