"""Two runs against each other: which delays changed, by how much, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.comparing.delays import Delays
from gpiorig.analysis.inference import dependence, estimators, intervals, orderstatistics, resampling, twosample
from gpiorig.analysis.inference.estimators import EXTREMES
from gpiorig.analysis.inference.intervals import CONFIDENCE, NAN, Interval
from gpiorig.analysis.statistics import RESOLUTION_SAMPLES, resolved

LEVEL = 0.01  # probability that two equal runs have any significant change
_SHAPE = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)  # quantiles that must move if a change is to count
Watch = Callable[[Sequence[str]], Iterable[str]]
Combine = Callable[[Any, Any], Any]  # of an old and a new value, or of arrays of them


@dataclass(frozen=True, slots=True)
class Change:
    """One delay in two runs; changes are new less base.

    Parameters
    ----------
    name
        Of the delay.
    base_n, new_n
        Packets.
    base_median_ns, new_median_ns
        Medians.
    median_ns, mean_ns, p99_ns
        How they changed, in ns.
    spread
        Standard deviation of the new run over that of the base.
    moved_ns
        How far the quantile among p1 to p99 moved that moved most, in ns.
    p_location, p_shape
        Of `twosample.brunner_munzel` and `kolmogorov_smirnov`, as they are.
    p_corrected
        The smaller one after the correction for all tests of the comparison (`twosample.holm`).
    changed
        Whether it is below `LEVEL`, and the delay moved by more than the analyzer resolves.
    """

    name: str
    base_n: int
    new_n: int
    base_median_ns: float
    new_median_ns: float
    median_ns: Interval
    mean_ns: Interval
    p99_ns: Interval
    spread: Interval
    moved_ns: float
    p_location: float
    p_shape: float
    p_corrected: float
    changed: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs.

    Parameters
    ----------
    changes
        Of every delay that both have, `RTT` first, then in the order of the path.
    only_base, only_new
        Delays that only one of them has.
    base_loss, new_loss
        Share of lost packets.
    p_loss
        Of Fisher's exact test for equal shares, if losses are independent.
    """

    changes: tuple[Change, ...]
    only_base: tuple[str, ...]
    only_new: tuple[str, ...]
    base_loss: Interval
    new_loss: Interval
    p_loss: float

    @property
    def changed(self) -> tuple[Change, ...]:
        """Those that changed, the largest move first."""
        return tuple(sorted((each for each in self.changes if each.changed), key=lambda each: -each.moved_ns))


def less(old: Any, new: Any) -> Any:
    """How much more the new value is."""
    return new - old


def less_relative(old: Any, new: Any) -> Any:
    """How much more the new value is, as a share of the old one; NaN of none."""
    return (new - old) / np.where(old == 0, NAN, old)


def ratio(old: Any, new: Any) -> Any:
    """The new value over the old one; NaN of none."""
    return new / np.where(old == 0, NAN, old)


def compare(base: Delays, new: Delays, *, watch: Watch = iter) -> Comparison:
    """Compare two runs, delay by delay.

    A delay has changed where the tests say so at `LEVEL` after the correction for their number, and a quantile moved
    by more than `RESOLUTION_SAMPLES` of the coarser analyzer: clocks and sampling phases make smaller differences
    significant that are none of the firmware. Tests and intervals allow for dependence within a run. What differs from
    run to run, as temperature does, is not known from one run of each: then compare several pairs.

    Parameters
    ----------
    base, new
        Each may have its own samplerate.
    watch
        Given the names of the delays, yields them; a progress bar.
    """
    from scipy.stats import fisher_exact

    names = [name for name in base.values if name in new.values]
    tests, corrected = significance(base, new, names)
    resolution_ns = RESOLUTION_SAMPLES * max(base.period_ns, new.period_ns)
    table = [[run.lost, run.sent - run.lost] for run in (base, new)]
    return Comparison(
        changes=tuple(
            _change(base, new, name, pair, p, resolution_ns)
            for name, pair, p in zip(watch(names), tests, corrected, strict=True)
        ),
        only_base=tuple(name for name in base.values if name not in new.values),
        only_new=tuple(name for name in new.values if name not in base.values),
        base_loss=base.loss(),
        new_loss=new.loss(),
        p_loss=float(fisher_exact(table).pvalue),
    )


def significance(base: Delays, new: Delays, names: Sequence[str]) -> tuple[list[tuple[float, float]], list[float]]:
    """P-values of delays, for location and shape; and the smaller of the two, corrected for the number of all."""
    tests = [_tests(base, new, name) for name in names]
    corrected = twosample.holm([p for pair in tests for p in pair])
    return tests, [min(pair) for pair in zip(corrected[::2], corrected[1::2], strict=True)]


def difference(
    base: NDArray[Any],
    new: NDArray[Any],
    statistic: str,
    *,
    combine: Combine = less,
    confidence: float = CONFIDENCE,
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
    """
    if min(len(base), len(new)) < 2:
        return Interval(NAN, NAN, NAN, "none", confidence, "too few packets")
    if statistic in EXTREMES:
        value = float(combine(estimators.extreme(base, statistic), estimators.extreme(new, statistic)))
        return Interval(value, NAN, NAN, "none", confidence, "what was seen: an extreme has no interval")
    sides = [estimators.named(values, statistic) for values in (base, new)]
    value = float(combine(*(side.value for side in sides)))
    blocks = [dependence.block_for(*side.influence) for side in sides]
    plans = [
        resampling.resample(len(values), block[0], stream=stream)
        for stream, (values, block) in enumerate(zip((base, new), blocks, strict=True))
    ]
    fewest = min(plan.blocks for plan in plans)
    if fewest < resampling.LEAST_BLOCKS or _too_few(sides, statistic, confidence):
        return Interval(value, NAN, NAN, "none", confidence, "too few packets for an interval")
    of = [side.replicates(plan) for side, plan in zip(sides, plans, strict=True)]
    replicates = combine(of[0](plans[0].weights), of[1](plans[1].weights))
    left_out = [combine(of[0](plans[0].without), sides[1].value), combine(sides[0].value, of[1](plans[1].without))]
    jackknife = np.concatenate([each - each.mean() for each in left_out])
    if not np.isfinite(replicates).all() or not np.isfinite(jackknife).all():
        return Interval(value, NAN, NAN, "none", confidence, "not defined for some resamples")
    low, high = resampling.limits(value, replicates, jackknife, blocks=fewest, confidence=confidence)
    method = ", ".join(
        dict.fromkeys(intervals.block_method(block[0], plan) for block, plan in zip(blocks, plans, strict=True))
    )
    note = "" if all(dies_out for _, dies_out in blocks) else intervals.MAY_BE_SHORT
    return Interval(value, low, high, method, confidence, note)


def as_table(found: Comparison) -> pa.Table:
    """One row per delay that both runs have."""
    rows = found.changes
    content: dict[str, Any] = {"delay": pa.array([row.name for row in rows], pa.string())}
    content["changed"] = pa.array([row.changed for row in rows], pa.bool_())
    for name in ("base_n", "new_n"):
        content[name] = pa.array([getattr(row, name) for row in rows], pa.int64())
    for name in ("base_median_ns", "new_median_ns"):
        content[name] = pa.array([getattr(row, name) for row in rows], pa.float64())
    for name in ("median", "mean", "p99"):
        each = [getattr(row, f"{name}_ns") for row in rows]
        content |= {f"{name}_change_ns": pa.array([one.value for one in each], pa.float64())}
        content |= {f"{name}_change_{end}_ns": pa.array([getattr(one, end) for one in each]) for end in ("low", "high")}
    for end, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
        content[f"std_ratio{suffix}"] = pa.array([getattr(row.spread, end) for row in rows], pa.float64())
    for name in ("moved_ns", "p_location", "p_shape", "p_corrected"):
        content[name] = pa.array([getattr(row, name) for row in rows], pa.float64())
    return columns.table(content)


def _tests(base: Delays, new: Delays, name: str) -> tuple[float, float]:
    a, b = base.values[name] * base.period_ns, new.values[name] * new.period_ns
    if min(len(a), len(b)) < 2:
        return 1.0, 1.0
    return twosample.brunner_munzel(a, b), twosample.kolmogorov_smirnov(a, b)


def _change(
    base: Delays, new: Delays, name: str, tests: tuple[float, float], corrected: float, resolution_ns: float
) -> Change:
    a, b = base.values[name] * base.period_ns, new.values[name] * new.period_ns
    if not len(a) or not len(b):
        moved = NAN
    else:
        moved = float(np.abs(np.quantile(b, _SHAPE) - np.quantile(a, _SHAPE)).max())
    if resolved(base.values[name]) and resolved(new.values[name]):
        spread = difference(a, b, "std", combine=ratio)
    else:
        spread = Interval(NAN, NAN, NAN, "none", note="a run varies by no more than the analyzer resolves")
    return Change(
        name=name,
        base_n=len(a),
        new_n=len(b),
        base_median_ns=float(np.median(a)) if len(a) else NAN,
        new_median_ns=float(np.median(b)) if len(b) else NAN,
        median_ns=difference(a, b, "median"),
        mean_ns=difference(a, b, "mean"),
        p99_ns=difference(a, b, "p99"),
        spread=spread,
        moved_ns=moved,
        p_location=tests[0],
        p_shape=tests[1],
        p_corrected=corrected,
        changed=corrected < LEVEL and moved > resolution_ns,
    )


def _too_few(sides: Sequence[estimators.Estimator], statistic: str, confidence: float) -> bool:
    """Whether a quantile lies too far out for the independent packets there are."""
    if statistic in ("mean", "std", "iqr"):
        return False
    needed = orderstatistics.needed_for(estimators.probability(statistic), confidence=confidence)
    return any(dependence.measure(each).effective < needed for side in sides for each in side.influence)
