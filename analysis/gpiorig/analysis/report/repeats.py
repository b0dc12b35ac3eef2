"""Repeats of one set-up: the mean and the spread of each statistic over them, and the difference of two set-ups.

Nothing is pooled: each run gives one value of a statistic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.compare.sentences import signed_time
from gpiorig.analysis.number_text import DASH, count_text, share_text, time_text
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.report.blocks import Section, Table
from gpiorig.analysis.report.runs import Run
from gpiorig.analysis.statistics import estimators
from gpiorig.analysis.statistics.intervals import NAN, Interval
from gpiorig.analysis.statistics.repeats import MIN_REPEATS, difference

STATISTICS = ("median", "mean", "p95", "p99", "std", LOSS)
SetUp = Sequence[Run]


def section(set_ups: Sequence[SetUp]) -> Section | None:
    """The table of the set-ups; None where no run repeats another."""
    if all(len(runs) == 1 for runs in set_ups):
        return None
    others = set_ups[1:]
    header = ("<statistic of the total", *(f"<{_named(runs)}" for runs in set_ups),
              *(f"<{runs[0].name}: difference" for runs in others))  # fmt: skip
    note = (
        "Mean ± standard deviation of the repeats, each of which gives one value; nothing is pooled. Differences of "
        f"the means with their 95 % interval by Welch's t, from {MIN_REPEATS} repeats of each on. Repeats are "
        "runs whose experiment, settings, bench and firmware are equal, apart from their seeds."
    )
    table = Table("Repeats of a set-up", header, tuple(_row(name, set_ups) for name in STATISTICS), note)
    return Section("repeats", "Repeats", (table,))


def sentence(base: SetUp, new: SetUp, opening: str) -> str:
    """The difference of the medians of two set-ups; `opening` says what was changed, in a few words."""
    moved = difference(values(base, "median"), values(new, "median"))
    before, after = (_mean_text(runs, "median") for runs in (base, new))
    noun, named = base[0].noun, f"{_named(base)} and {_named(new)}"
    if math.isnan(moved.value):
        return f"{opening}: the difference of {named} is not known: {moved.note}."
    if moved.low <= 0 <= moved.high:
        return (
            f"{opening}: the median {noun} does not change beyond the spread of the repeats: {before} to {after}, "
            f"difference {_ends(moved)} ({named})."
        )
    sure = f"no interval: {moved.note}" if math.isnan(moved.low) else _ends(moved)
    return f"{opening}: {signed_time(moved.value)} in the median {noun} ({sure}), {before} to {after} ({named})."


def values(runs: SetUp, statistic: str) -> NDArray[np.float64]:
    """float64[repeats], a statistic of the total delay of each run, in ns, or the share of lost packets.

    Runs without a value are omitted.
    """
    every = [_value(run, statistic) for run in runs]
    return np.array([value for value in every if math.isfinite(value)], dtype=np.float64)


def _value(run: Run, statistic: str) -> float:
    if statistic == LOSS:
        return run.delays.loss().value
    total = next(iter(run.delays.values.values()), np.zeros(0, dtype=np.int64))
    if len(total) < 2:
        return NAN
    return estimators.named(total * run.delays.period_ns, statistic).value


def _row(statistic: str, set_ups: Sequence[SetUp]) -> tuple[str, ...]:
    base, *others = set_ups
    text = share_text if statistic == LOSS else time_text
    moved = [difference(values(base, statistic), values(runs, statistic)) for runs in others]
    cells = [f"{text(one.value)} ({text(one.low)} to {text(one.high)})" if math.isfinite(one.low) else
             text(one.value) if math.isfinite(one.value) else DASH for one in moved]  # fmt: skip
    return (statistic, *(_mean_text(runs, statistic) for runs in set_ups), *cells)


def _mean_text(runs: SetUp, statistic: str) -> str:
    every = values(runs, statistic)
    text = share_text if statistic == LOSS else lambda ns: time_text(ns, digits=4)
    if not len(every):
        return DASH
    return text(float(every.mean())) + (f" ± {_sd_text(every, statistic)}" if len(every) > 1 else "")


def _sd_text(every: NDArray[np.float64], statistic: str) -> str:
    """The standard deviation of repeats, as text."""
    sd = float(every.std(ddof=1))
    return share_text(sd) if statistic == LOSS else time_text(sd, digits=2)


def _ends(moved: Interval) -> str:
    return f"95 % interval {time_text(moved.low, digits=4)} to {time_text(moved.high, digits=4)}"


def _named(runs: SetUp) -> str:
    """The first run's name, with the number of repeats."""
    return runs[0].name if len(runs) == 1 else f"{runs[0].name} ({count_text(len(runs), 'repeat')})"
