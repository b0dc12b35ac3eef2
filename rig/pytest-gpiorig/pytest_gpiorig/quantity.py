"""Quantities of a run and their statistics, as assertions write them: ``run.rtt.p99 < ms(9)``."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from gpiorig.analysis.compare import limits
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.quantities.series import Series
from gpiorig.analysis.statistics import statistic_names
from pytest_gpiorig.accuracy import Expanded
from pytest_gpiorig.amounts import Amount
from pytest_gpiorig.judgement import CannotBeJudged, Judgement, Outcome, Value

Limit = Amount | str | float
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
EXACT = (Unit.COUNT, Unit.BYTES)  # units of what is counted, and may be compared by ==


@dataclass(slots=True)
class Judged:
    """The judgements of the test that runs; its plugin takes them at the end of the test."""

    judgements: list[tuple[Statistic, Judgement]] = field(default_factory=list)

    def take(self) -> list[tuple[Statistic, Judgement]]:
        """Those since it was last asked."""
        judgements, self.judgements = self.judgements, []
        return judgements


judged = Judged()


@dataclass(frozen=True, eq=False)  # no slots: the values are cached
class Statistic:
    """A statistic of a quantity; comparisons with a limit are judged with its uncertainty.

    A comparison is true if the value keeps the limit, of every step and at every node that the quantity is about.
    Where the limit lies within the expanded uncertainty of the instruments it raises `CannotBeJudged`, an
    `AssertionError`: neither the comparison nor its opposite passes.

    Parameters
    ----------
    quantity
        What it is of.
    name
        Such as ``p99``; empty for a quantity of which a node has one value.
    end
        What is compared: the value, or an end of its 95 % interval.
    """

    quantity: Quantity
    name: str
    end: Literal["value", "low", "high"] = "value"

    @property
    def low(self) -> Statistic:
        """The lower end of the 95 % interval."""
        return Statistic(self.quantity, self.name, "low")

    @property
    def high(self) -> Statistic:
        """The upper end of the 95 % interval."""
        return Statistic(self.quantity, self.name, "high")

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The value of each series."""
        return tuple(self._value(series) for series in self.quantity.series)

    def __float__(self) -> float:
        """The value in the unit of the quantity (ns, a share, …), where there is one."""
        if len(self.values) > 1:
            names = ", ".join(value.series.name for value in self.values)
            raise TypeError(f"{self.label} has {len(self.values)} values: {names}; name one of them.")
        return self.values[0].compared

    @property
    def label(self) -> str:
        """Such as ``rtt.p99`` or ``rtt.p99.high``."""
        text = f"{self.quantity.name}.{self.name}" if self.name else self.quantity.name
        return text if self.end == "value" else f"{text}.{self.end}"

    def __str__(self) -> str:
        values = [f"{value.series.name}: {value.text}" for value in self.values]
        return f"{self.label}: {'; '.join(values)}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def __lt__(self, limit: Limit) -> bool:
        __tracebackhide__ = True
        return self.holds("<", limit)

    def __le__(self, limit: Limit) -> bool:
        __tracebackhide__ = True
        return self.holds("<=", limit)

    def __gt__(self, limit: Limit) -> bool:
        __tracebackhide__ = True
        return self.holds(">", limit)

    def __ge__(self, limit: Limit) -> bool:
        __tracebackhide__ = True
        return self.holds(">=", limit)

    def __eq__(self, limit: object) -> bool:
        __tracebackhide__ = True
        if self.quantity.unit not in EXACT:
            raise TypeError(f"{self.label} was measured: compare it by <, <=, > or >=, and not by == or !=.")
        assert isinstance(limit, float | int | str | Amount)
        return self.holds("==", limit)

    def __hash__(self) -> int:
        return id(self)

    def judge(self, relation: str, limit: Limit) -> Judgement:
        """Compare it with a limit; a string is written as in `gpiorig report --assert`."""
        __tracebackhide__ = True
        number, text = self._limit(limit)
        outcomes = tuple(_outcome(value, relation, number) for value in self.values)
        sure = all(self._is_sure(value, relation, number) for value in self.values)
        return Judgement(f"{self.label} {relation} {text}", relation, number, text, self.values, outcomes, sure)

    def holds(self, relation: str, limit: Limit) -> bool:
        """Judge it, for the test that runs; raises `CannotBeJudged`."""
        __tracebackhide__ = True
        judgement = self.judge(relation, limit)
        judged.judgements.append((self, judgement))
        if judgement.outcome is Outcome.UNDECIDED:
            raise CannotBeJudged(judgement.sentence)
        return judgement.outcome is Outcome.HOLDS

    def _limit(self, limit: Limit) -> tuple[float, str]:
        """A limit in the unit of the quantity, and as text."""
        __tracebackhide__ = True
        if isinstance(limit, Statistic | Quantity):
            raise TypeError(
                f"{self.label} is compared with a limit, and {limit!r} was measured: whether two runs differ says "
                "run.assert_against(folder, 'rtt.median +5 %')."
            )
        if isinstance(limit, Amount | str):
            text = str(limit).strip()
        elif self.quantity.unit is Unit.COUNT:
            text = f"{limit!r}"
        else:
            raise TypeError(
                f"{self.label} is a {self.quantity.unit.name.lower()}, and {limit!r} has no unit: write it like ms(9), "
                "percent(1) or '4 kbit/s'."
            )
        dotted = f"{self.quantity.name}.{self.name}" if self.name else self.quantity.name
        try:
            return limits.assertion(f"{dotted} < {text}").limit, text
        except QuantityError as error:
            raise QuantityError(str(error)) from None  # a traceback of the parser says nothing more

    def _value(self, series: Series) -> Value:
        interval = series.interval(self.name)
        compared: float = getattr(interval, self.end)
        return Value(
            series, interval, compared, 0.0 if math.isnan(compared) else self.quantity.expanded(series, compared)
        )

    def _is_sure(self, value: Value, relation: str, limit: float) -> bool:
        """Whether the interval is on one side of the limit; extremes and what is counted have none."""
        kind = value.series.quantity.kind
        if self.end != "value" or self.name in statistic_names.EXTREMES or (kind.single and not kind.of_packets):
            return True
        ends = (value.interval.low, value.interval.high)
        side = RELATIONS[relation](value.compared, limit)
        return not any(map(math.isnan, ends)) and all(RELATIONS[relation](end, limit) == side for end in ends)


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity of a run by its name; its attributes are statistics, such as ``p99``.

    A quantity of which a node has one value, such as `loss` or `goodput`, is compared itself.

    Parameters
    ----------
    name
        As in docs/guide/quantities.md.
    series
        Its values by node, or of each delay that the name stands for.
    expanded
        Expanded uncertainty of a value.
    evidence
        What a person needs to see where a judgement does not hold, in lines.
    """

    name: str
    series: tuple[Series, ...]
    expanded: Expanded
    evidence: Callable[[Judgement], Iterator[str]]

    @property
    def unit(self) -> Unit:
        """The unit of its values."""
        return self.series[0].quantity.kind.unit

    @property
    def low(self) -> Statistic:
        """The lower end of the 95 % interval of its one value."""
        return self._single().low

    @property
    def high(self) -> Statistic:
        """The upper end of the 95 % interval of its one value."""
        return self._single().high

    def statistic(self, name: str) -> Statistic:
        """One of its statistics by name: ``p99.9``; raises `QuantityError` if there is none of that name."""
        return Statistic(self, statistic_names.checked(name))

    def __getattr__(self, name: str) -> Statistic:
        text, single = name.replace("_", "."), self.series[0].quantity.kind.single
        if name.startswith("_") or single or not statistic_names.is_statistic(text):
            if single:
                raise AttributeError(f"`{self.name}` has one value and no {name!r}: compare it itself, or .low, .high.")
            raise AttributeError(
                f"`{self.name}` has no {name!r}; its statistics are {', '.join(statistic_names.STATISTICS)}, and "
                "percentiles such as p99_9."
            )
        return self.statistic(text)

    def __getitem__(self, name: str) -> Statistic:
        return self.statistic(name)

    def __float__(self) -> float:
        return float(self._single())

    def __lt__(self, limit: Limit) -> bool:
        __tracebackhide__ = True
        return self._single() < limit

    def __le__(self, limit: Limit) -> bool:
        __tracebackhide__ = True
        return self._single() <= limit

    def __gt__(self, limit: Limit) -> bool:
        __tracebackhide__ = True
        return self._single() > limit

    def __ge__(self, limit: Limit) -> bool:
        __tracebackhide__ = True
        return self._single() >= limit

    def __eq__(self, limit: object) -> bool:
        __tracebackhide__ = True
        return self._single() == limit

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return (
            f"<quantity {self.name}: {', '.join(f'{len(series.values)} of {series.name}' for series in self.series)}>"
        )

    def _single(self) -> Statistic:
        if not self.series[0].quantity.kind.single:
            raise TypeError(
                f"`{self.name}` has many values: compare a statistic of it, such as .p99 or .max, with a limit."
            )
        return Statistic(self, "")


def judgement_of(relation: str, left: Any, right: Any) -> Judgement | None:
    """The judgement of a comparison that pytest asks about; None if it is not one of these."""
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
    if not isinstance(left, Statistic | Quantity):
        left, right, relation = right, left, mirrored.get(relation, "")
    if not isinstance(left, Statistic | Quantity) or relation not in mirrored:
        return None
    statistic = left._single() if isinstance(left, Quantity) else left
    return statistic.judge(relation, right)


def _outcome(value: Value, relation: str, limit: float) -> Outcome:
    if math.isnan(value.compared) or (value.expanded > 0 and abs(value.compared - limit) <= value.expanded):
        return Outcome.UNDECIDED
    return Outcome.HOLDS if RELATIONS[relation](value.compared, limit) else Outcome.BROKEN
