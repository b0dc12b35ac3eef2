"""What counts as agreeing: the range of values, and whether an interval is within it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.statistics import effects
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.repeats import MIN_REPEATS
from gpiorig.studies.pages import amounts
from gpiorig.studies.pages.description import Value
from gpiorig.studies.pages.statistics import Estimate

Place = Literal["inside", "outside", "straddling", "without an interval"]
MOST_REPEATS = 1000  # that are counted: more are not a remedy


@dataclass(frozen=True, slots=True)
class Bounds:
    """The values that agree, in SI, with their ends; `unit` is that of both."""

    least: float
    most: float
    unit: str

    @property
    def text(self) -> str:
        """``13.5 ms to 14.5 ms``, ``at most 9 µs``, ``at least 2``."""
        if not math.isfinite(self.least):
            return f"at most {self._end(self.most)}"
        if not math.isfinite(self.most):
            return f"at least {self._end(self.least)}"
        if self.unit == "share":
            return f"{100 * self.least:g} to {100 * self.most:g} %"
        return amounts.range_text(self.least, self.most, self.unit, half_width=(self.most - self.least) / 2)

    def place_of(self, interval: Interval) -> Place:
        """Where an interval lies."""
        if not interval.is_bounded and not (interval.low > self.most or interval.high < self.least):
            return "without an interval"
        if self.least <= interval.low and interval.high <= self.most:
            return "inside"
        return "outside" if interval.low > self.most or interval.high < self.least else "straddling"

    def _end(self, value: float) -> str:
        if self.unit == "share":
            return f"{100 * value:g} %"
        return "0" if value == 0 else amounts.text(value, self.unit)


def bounds(row: Mapping[str, Value], *, within: str = "") -> Bounds:
    """The values that agree with a published one; raises `QuantityError` where it is not understood.

    Of a range, and of a value with `plus_minus`, those between its ends. Of a value those that are not farther away
    than `within`, or than `amounts.precision`.
    """
    ends = {name: amounts.parse(row[name]) for name in ("value", "low", "high", "plus_minus") if name in row}
    unit = next(iter(ends.values()))[1]
    if "value" not in ends:
        return Bounds(ends.get("low", (-math.inf,))[0], ends.get("high", (math.inf,))[0], unit)
    value = ends["value"][0]
    if within:
        half, of_within = amounts.parse(within)
        if of_within == "share" and unit != "share":
            half *= abs(value)
        elif of_within != unit:
            raise QuantityError(f"within `{within}`: give a share of the value, such as `25 %`, or an amount like it.")
    elif "low" in ends and "high" in ends:
        return Bounds(ends["low"][0], ends["high"][0], unit)
    else:
        half = ends["plus_minus"][0] if "plus_minus" in ends else amounts.precision(row["value"])
    return Bounds(value - half, value + half, unit)


def difference(base: Estimate, new: Estimate) -> Interval:
    """New minus base: repeat by repeat where both have all of them, since these have equal seeds and phases."""
    if _are_paired(base, new):
        return effects.paired_difference(np.array(base.of_repeats), np.array(new.of_repeats))
    return effects.difference(base.interval, new.interval)


def ratio(base: Estimate, new: Estimate) -> Interval:
    """New over base, as `difference`."""
    if _are_paired(base, new):
        return effects.paired_ratio(np.array(base.of_repeats), np.array(new.of_repeats))
    return effects.ratio(base.interval, new.interval)


def undecided(interval: Interval, estimates: Sequence[Estimate], distance: float) -> str:
    """Why an interval decides nothing, and how many repeats would, if they spread as these do.

    `distance` is that of its value from the nearest bound.
    """
    fewest = min(estimate.repeats for estimate in estimates)
    if interval.is_bounded and any(estimate.doubt > distance for estimate in estimates):
        doubt = amounts.text(max(estimate.doubt for estimate in estimates), estimates[0].unit, digits=2)
        return f"the interval has a bound in it; ±{doubt} of it are what each value may be off, which no repeat narrows"
    if fewest < MIN_REPEATS:
        runs = "one run" if fewest == 1 else f"{fewest} repeats"
        has = "an interval with a bound in it" if interval.is_bounded else "no interval"
        return f"{runs} give{'s' * (fewest == 1)} {has}; {MIN_REPEATS} repeats give one of the mean"
    needed = repeats_for(interval, fewest, distance)
    more = f"about {needed} repeats would decide" if needed else f"more than {MOST_REPEATS} repeats would be needed"
    return f"the interval has a bound in it; {more}"


def repeats_for(interval: Interval, count: int, distance: float) -> int:
    """The least number of repeats with an interval whose wider side is below `distance`; 0 for too many.

    The interval is of `count` repeats, and shrinks with t(0.975, n - 1) / sqrt(n).
    """
    from scipy.special import stdtrit

    def width(n: int) -> float:
        return float(stdtrit(n - 1, 0.975)) / math.sqrt(n)

    widest = max(interval.value - interval.low, interval.high - interval.value)
    for more in range(count + 1, MOST_REPEATS + 1):
        if widest * width(more) < distance * width(count):
            return more
    return 0


def _are_paired(base: Estimate, new: Estimate) -> bool:
    return MIN_REPEATS <= base.repeats == base.asked == new.repeats == new.asked
