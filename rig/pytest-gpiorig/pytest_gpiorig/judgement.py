"""Judgements: how a statistic compares with a limit, and what a person needs to see where it does not hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from gpiorig.analysis.compare.assertions import value_text, with_ends
from gpiorig.analysis.number_text import time_text, uncertain_text
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.quantities.series import Series
from gpiorig.analysis.statistics.intervals import Interval
from pytest_gpiorig import histogram


class Outcome(Enum):
    """What a comparison says."""

    HOLDS = "holds"
    BROKEN = "does not hold"
    UNDECIDED = "cannot be judged"


class CannotBeJudged(AssertionError):
    """A limit lies within the uncertainty of what was measured, or the value does not exist."""


@dataclass(frozen=True, slots=True)
class Value:
    """A statistic of one series.

    Parameters
    ----------
    series
        What it is of.
    interval
        The statistic with its confidence interval, in the unit of the quantity.
    compared
        What a limit is compared with: the value, or an end of the interval.
    expanded
        Expanded uncertainty (k = 2) of the instruments at that value; 0 where none is known.
    """

    series: Series
    interval: Interval
    compared: float
    expanded: float

    @property
    def text(self) -> str:
        """Such as ``10.66 ± 0.54 µs (95 % interval …), n = 50``."""
        unit = self.series.quantity.kind.unit
        estimate = self.interval.value

        def written(value: float) -> str:
            exact = value == estimate and self.expanded > 0 and unit is Unit.TIME
            return uncertain_text(value, self.expanded) if exact else value_text(value, unit, self.interval.half_width)

        return f"{with_ends(self.interval, written)}, n = {len(self.series.values)}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of one comparison.

    Parameters
    ----------
    text
        The comparison, such as ``rtt.p99 < 9 ms``.
    relation, limit, limit_text
        ``<``, ``<=``, ``>``, ``>=`` or ``==``; the limit in the unit of the quantity, and as it was written.
    values
        Of each series: of a step at each node, of every step of a kind.
    outcomes
        Of each value.
    sure
        Whether chance is unlikely to have put the values on their sides of the limit.
    """

    text: str
    relation: str
    limit: float
    limit_text: str
    values: tuple[Value, ...]
    outcomes: tuple[Outcome, ...]
    sure: bool

    @property
    def outcome(self) -> Outcome:
        """Of all of them: one that is broken decides, then one that cannot be judged."""
        order = (Outcome.BROKEN, Outcome.UNDECIDED, Outcome.HOLDS)
        return next(outcome for outcome in order if outcome in self.outcomes)

    @property
    def decisive(self) -> list[Value]:
        """The values that decide, the worst first."""
        pairs = zip(self.values, self.outcomes, strict=True)
        values = [value for value, outcome in pairs if outcome is self.outcome]
        return sorted(values, key=lambda value: value.compared, reverse=self.relation.startswith("<"))

    @property
    def sentence(self) -> str:
        """The outcome, with the value that decides."""
        doubt = "" if self.sure or self.outcome is Outcome.UNDECIDED else ", but more packets may show otherwise"
        name, value = self.decisive[0].series.name, self.decisive[0]
        return f"{self.text}: {self.outcome.value}{self._why(value)}{doubt}: {name}: {value.text}"

    def distribution(self, value: Value) -> list[str]:
        """The values of a series as a histogram; nothing of a quantity that has one value."""
        kind = value.series.quantity.kind
        if kind.single or not len(value.series.values):
            return []
        scale = float(value.series.scale)
        return histogram.lines(
            value.series.values,
            self.limit / scale,
            lambda number: value_text(number * scale, kind.unit),
            self.limit_text,
        )

    def _why(self, value: Value) -> str:
        if self.outcome is not Outcome.UNDECIDED:
            return ""
        if math.isnan(value.compared):
            return f" ({value.interval.note or 'it has no value'})"
        unit = value.series.quantity.kind.unit
        text = time_text(value.expanded, digits=2) if unit is Unit.TIME else value_text(value.expanded, unit)
        return f" (the limit is within ± {text} of it)"
