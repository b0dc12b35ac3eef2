"""Two runs against each other: which delays changed, by how much, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from gpiorig.analysis import columns
from gpiorig.analysis.compare import differences
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.statistics import two_samples
from gpiorig.analysis.statistics.intervals import NAN, Interval
from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES, resolved

LEVEL = 0.01  # probability that two equal runs have any significant change
_SHAPE = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)  # quantiles that must move if a change is to count
PValues = tuple[float, float, float]  # for location, shape and the upper tail
Watch = Callable[[Sequence[str]], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Change:
    """One delay in two runs; changes are new minus base.

    Parameters
    ----------
    name
        Name of the delay.
    base_n, new_n
        Packets.
    base_median_ns, new_median_ns
        Medians.
    median_ns, mean_ns, p99_ns
        Changes of median, mean and p99, in ns.
    spread
        Standard deviation of the new run over that of the base.
    moved_ns
        Largest move of a quantile among p1 to p99, in ns.
    p_location, p_shape, p_tail
        P-values of `two_samples.brunner_munzel`, `kolmogorov_smirnov` and `upper_tail`, uncorrected.
    p_corrected
        The smallest one after the correction for all tests of the comparison (`two_samples.holm`).
    changed
        Whether that is below `LEVEL` and the delay moved by more than the analyzer resolves.
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
    p_tail: float
    p_corrected: float
    changed: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs.

    Parameters
    ----------
    changes
        Changes of every delay that both have, `RTT` first, then in the order of the path.
    only_base, only_new
        Delays that only one of them has.
    base_loss, new_loss
        Share of lost packets.
    new_complete
        Packets of the new run of which a delay is known.
    p_loss
        P-value of Fisher's exact test for equal shares, if losses are independent.
    loss_changed
        Whether that is below `LEVEL` after the correction for it and all other tests of the comparison.
    resolution_ns
        Largest apparent difference of equal delays: `RESOLUTION_SAMPLES` of the coarser analyzer.
    cuts
        `Delays.cut` of both.
    """

    changes: tuple[Change, ...]
    only_base: tuple[str, ...]
    only_new: tuple[str, ...]
    base_loss: Interval
    new_loss: Interval
    new_complete: int
    p_loss: float
    loss_changed: bool
    resolution_ns: float
    cuts: tuple[str, str] = ("", "")

    @property
    def changed(self) -> tuple[Change, ...]:
        """The delays that changed, the largest move first."""
        return tuple(
            sorted(
                (change for change in self.changes if change.changed), key=lambda delay_change: -delay_change.moved_ns
            )
        )

    @property
    def differs(self) -> bool:
        """True for any difference: in a delay, in which delays there are, or in the loss."""
        return bool(self.changed or self.only_base or self.only_new or self.loss_changed)


def compare(base: Delays, new: Delays, *, watch: Watch = iter) -> Comparison:
    """Compare two runs, delay by delay.

    A delay has changed where the tests are significant at `LEVEL` after the correction for their number, and a
    quantile moved by more than `RESOLUTION_SAMPLES` of the coarser analyzer: clocks and sampling phases make smaller
    differences significant that the firmware does not cause. Tests and intervals allow for dependence within a run.
    Effects that differ from run to run, such as temperature, need several pairs of runs.

    Parameters
    ----------
    base, new
        Each may have its own samplerate.
    watch
        Given the names of the delays, yields them; a progress bar.
    """
    from scipy.stats import fisher_exact

    names = [name for name in base.values if name in new.values]
    resolution_ns = RESOLUTION_SAMPLES * max(base.period_ns, new.period_ns)
    p_loss = float(fisher_exact([[run.lost, run.sent - run.lost] for run in (base, new)]).pvalue)
    tests, corrected, p_loss_corrected = significance(base, new, names, p_loss=p_loss)
    return Comparison(
        changes=tuple(
            _change(base, new, name, pair, p, resolution_ns)
            for name, pair, p in zip(watch(names), tests, corrected, strict=True)
        ),
        only_base=tuple(name for name in base.values if name not in new.values),
        only_new=tuple(name for name in new.values if name not in base.values),
        base_loss=base.loss(),
        new_loss=new.loss(),
        new_complete=new.complete,
        p_loss=p_loss,
        loss_changed=p_loss_corrected < LEVEL and not (base.cut or new.cut),
        resolution_ns=resolution_ns,
        cuts=(base.cut, new.cut),
    )


def significance(
    base: Delays, new: Delays, names: Sequence[str], *, p_loss: float = 1.0
) -> tuple[list[PValues], list[float], float]:
    """P-values of delays; the smallest of each, and that of the loss, corrected for their number."""
    tests = [_tests(base, new, name) for name in names]
    *corrected, loss = two_samples.holm([*(p for three in tests for p in three), p_loss])
    return tests, [min(three) for three in zip(corrected[::3], corrected[1::3], corrected[2::3], strict=True)], loss


def as_table(comparison: Comparison) -> pa.Table:
    """One row per delay that both runs have."""
    return columns.of_rows(comparison.changes, _SCHEMA)


_SCHEMA: columns.Schema = {
    "delay": (columns.TEXT, "name"),
    "changed": (columns.FLAG, "changed"),
    **columns.of_attributes(columns.COUNT, ("base_n", "new_n")),
    **columns.of_attributes(columns.NUMBER, ("base_median_ns", "new_median_ns")),
    **columns.of_interval("median_change", "median_ns", unit="_ns"),
    **columns.of_interval("mean_change", "mean_ns", unit="_ns"),
    **columns.of_interval("p99_change", "p99_ns", unit="_ns"),
    **columns.of_interval("std_ratio", "spread"),
    **columns.of_attributes(columns.NUMBER, ("moved_ns", "p_location", "p_shape", "p_tail", "p_corrected")),
}


def _tests(base: Delays, new: Delays, name: str) -> PValues:
    a, b = base.values[name] * base.period_ns, new.values[name] * new.period_ns
    if min(len(a), len(b)) < 2:
        return 1.0, 1.0, 1.0
    return two_samples.brunner_munzel(a, b), two_samples.kolmogorov_smirnov(a, b), two_samples.upper_tail(a, b)


def _change(base: Delays, new: Delays, name: str, tests: PValues, corrected: float, resolution_ns: float) -> Change:
    a, b = base.values[name] * base.period_ns, new.values[name] * new.period_ns
    if not len(a) or not len(b):
        moved = NAN
    else:
        moved = float(np.abs(np.quantile(b, _SHAPE) - np.quantile(a, _SHAPE)).max())
    if min(len(a), len(b)) < 2 or (resolved(base.values[name]) and resolved(new.values[name])):
        spread = differences.difference(a, b, "std", combine=differences.ratio)
    else:
        spread = Interval(NAN, NAN, NAN, "none", note="a run varies by no more than the analyzer resolves")
    return Change(
        name=name,
        base_n=len(a),
        new_n=len(b),
        base_median_ns=float(np.median(a)) if len(a) else NAN,
        new_median_ns=float(np.median(b)) if len(b) else NAN,
        median_ns=differences.between(base, new, name, "median"),
        mean_ns=differences.between(base, new, name, "mean"),
        p99_ns=differences.between(base, new, name, "p99"),
        spread=spread,
        moved_ns=moved,
        p_location=tests[0],
        p_shape=tests[1],
        p_tail=tests[2],
        p_corrected=corrected,
        changed=corrected < LEVEL and moved > resolution_ns,
    )
