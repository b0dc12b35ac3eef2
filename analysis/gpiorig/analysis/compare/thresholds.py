"""Thresholds: how much a run may differ from another one, such as ``rtt.p99 +5 %``."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpiorig.analysis.compare import comparison, differences
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.compare.limits import Threshold
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.statistics.intervals import CONFIDENCE, NAN, Interval
from gpiorig.analysis.statistics.statistic_names import EXTREMES


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a threshold for a comparison.

    Parameters
    ----------
    threshold
        The threshold.
    exceeded
        Names of the delays that changed by more, where chance alone does not explain a change in that direction.
    doubtful
        Names of the delays that changed by more, which chance or the sampling may explain.
    unknown
        Names of the delays whose change is not known: a run has too few packets.
    changes
        By name of the delay: its change, in ns or as a share.
    """

    threshold: Threshold
    exceeded: tuple[str, ...]
    doubtful: tuple[str, ...]
    unknown: tuple[str, ...]
    changes: dict[str, Interval]

    @property
    def failed(self) -> bool:
        """True if the threshold is exceeded or a change is unknown."""
        return bool(self.exceeded or self.unknown)


def judge(threshold: Threshold, base: Delays, new: Delays, comparison_: comparison.Comparison) -> Outcome:
    """Judge whether a comparison exceeds a threshold.

    It does where the change is beyond the limit, is more than the analyzer resolves, and has an interval
    on that side of no change. Extremes have no interval: there the observed values decide. A threshold for
    several delays, or for a statistic that has too few packets for an interval, takes only those that have changed at
    `LEVEL` after the correction for their number.

    Raises
    ------
    QuantityError
        A run has no such delay, or they have none in common.
    """
    if threshold.quantity == LOSS:
        value = comparison_.new_loss.value - comparison_.base_loss.value
        change = Interval(value, NAN, NAN, "Fisher's exact test", note=f"p = {comparison_.p_loss:.2g}")
        return _outcome(threshold, {LOSS: change}, {LOSS} if comparison_.p_loss < 1 - CONFIDENCE else set())
    names = [_named(run, threshold, which) for run, which in ((base, "base"), (new, "new run"))]
    shared = [name for name in names[0] if name in names[1]]
    if not shared:
        raise QuantityError(f"threshold `{threshold.text}`: the runs have no `{threshold.quantity}` in common.")
    combine = differences.relative_increase if threshold.relative else differences.increase
    changes = {name: differences.between(base, new, name, threshold.statistic, combine=combine) for name in shared}
    significant = {change.name for change in comparison_.changes if change.changed}
    sure = set()
    for name, change in changes.items():
        alone = len(shared) == 1 and (threshold.statistic in EXTREMES or not math.isnan(change.low + change.high))
        if not (alone or name in significant) or not threshold.side(change.value) > threshold.limit:
            continue
        moved = differences.between(base, new, name, threshold.statistic) if threshold.relative else change
        if abs(moved.value) > comparison_.resolution_ns:
            sure.add(name)
    return _outcome(threshold, changes, sure)


def _named(run: Delays, threshold: Threshold, which: str) -> tuple[str, ...]:
    try:
        return run.named(threshold.quantity)
    except QuantityError as error:
        raise QuantityError(f"threshold `{threshold.text}`: {which}: {error}") from error


def _outcome(threshold: Threshold, changes: dict[str, Interval], sure: set[str]) -> Outcome:
    """The outcome, given the delays that changed by more than chance and sampling explain."""
    beyond = [name for name, change in changes.items() if threshold.side(change.value) > threshold.limit]
    exceeded = [name for name in beyond if name in sure and not _may_be_none(changes[name])]
    return Outcome(
        threshold=threshold,
        exceeded=tuple(exceeded),
        doubtful=tuple(name for name in beyond if name not in exceeded),
        unknown=tuple(name for name, change in changes.items() if math.isnan(change.value)),
        changes=changes,
    )


def _may_be_none(change: Interval) -> bool:
    """Tell whether the interval contains 0."""
    return change.low <= 0 <= change.high
