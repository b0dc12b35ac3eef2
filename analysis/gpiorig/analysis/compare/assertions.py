"""Assertions: limits that the numbers of a run must meet, such as ``rtt.p99 < 20 ms``."""

from __future__ import annotations

import dataclasses
import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import rate_text, share_text, time_text
from gpiorig.analysis.quantities import names, values
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.statistics import estimators, intervals
from gpiorig.analysis.statistics.intervals import Interval

EXAMPLE = "`rtt.p99 < 20 ms`, `isr.max < 50 us`, `loss < 1 %` or `p99(mac.tx -> mac.rx) < 5 ms`"
UNITS = {
    Unit.TIME: {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9},
    Unit.SHARE: {"%": 0.01},
    Unit.RATE: {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6},
    Unit.FREQUENCY: {"/s": 1.0},
    Unit.COUNT: {"": 1.0},
}
PERCENT = "%"
_MU = str.maketrans("\N{GREEK SMALL LETTER MU}", "\N{MICRO SIGN}")
LISTED = 12  # delays that a sentence writes out
_RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_STATISTIC = r"[a-z][a-z0-9]*(?:\.\d+)?"
QUANTITY = (
    rf"(?:(?P<function>{_STATISTIC})\(\s*(?P<argument>[^()]+?)\s*\)"
    rf"|(?P<quantity>[^\s<>](?:->|[^<>])*?)(?:\.(?P<statistic>{_STATISTIC}))?)"
)
AMOUNT = r"(?P<amount>(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<unit>[^\W\d]*/s|[^\W\d]+|%)?"
_ASSERTION = re.compile(rf"\s*{QUANTITY}\s*(?P<relation><=|>=|<|>)\s*{AMOUNT}\s*")


@dataclass(frozen=True, slots=True)
class Assertion:
    """One limit.

    Parameters
    ----------
    text
        The text as written.
    quantity
        A name for `delays.Delays.named`, `delay_names.LOSS`, or the name of a `quantities.Quantity`.
    statistic
        A statistic of `intervals.for_statistic`; empty for the loss, and for quantities of which a node has one value.
    relation
        ``<``, ``<=``, ``>`` or ``>=``.
    limit
        In the unit of the quantity: ns, 1, bit/s, or a share.
    """

    text: str
    quantity: str
    statistic: str
    relation: str
    limit: float

    @property
    def unit(self) -> Unit:
        """The unit of the quantity."""
        return unit_of(self.quantity)

    def is_met(self, value: float) -> bool:
        """Whether a value, in the unit of the quantity, keeps the limit."""
        return bool(_RELATIONS[self.relation](value, self.limit))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of an assertion for a run.

    Parameters
    ----------
    assertion
        The assertion.
    holds
        Whether every delay that it is about meets the limit; False for a run without such a delay.
    sure
        Whether the intervals of the delays that decide lie on the same side; extremes have none, their values decide.
    intervals
        By name of the delay: the value with its interval, in the unit of the quantity; empty without a value.
    sentence
        The outcome with the value, as text.
    """

    assertion: Assertion
    holds: bool
    sure: bool
    intervals: dict[str, Interval]
    sentence: str


def parse(text: str) -> Assertion:
    """One assertion: quantity.statistic, relation, amount and unit.

    Raises
    ------
    QuantityError
        It is not understood; the message names the part and what is valid.
    """
    match = _ASSERTION.fullmatch(text)
    if not match:
        raise QuantityError(f"assertion `{text}`: not understood; write it like {EXAMPLE}.")
    quantity, statistic = what(match, f"assertion `{text}`")
    limit = amount(match, f"assertion `{text}`", unit_of(quantity))
    return Assertion(text.strip(), quantity, statistic, match["relation"], limit)


def evaluate(assertion: Assertion, run: Delays, recorded: Recorded | None = None) -> Verdict:
    """Check whether a run meets a limit. The value decides; its interval is only reported.

    `recorded` is needed for a quantity that is not a delay of the run.
    """
    try:
        intervals = _intervals(assertion, run, recorded)
    except QuantityError as error:
        return Verdict(assertion, False, True, {}, f"{assertion.text}: does not hold: {error}")
    verdicts = {name: assertion.is_met(interval.value) for name, interval in intervals.items()}
    broken = [name for name, keep in verdicts.items() if not keep]
    sign = 1 if assertion.relation.startswith("<") else -1
    listed = broken or [max(intervals, key=lambda name: sign * intervals[name].value)]
    texts = [
        _value_text(assertion, name, intervals[name], delays_n=len(intervals), listed=len(listed))
        for name in listed[:LISTED]
    ]
    texts += [f"and {len(listed) - LISTED} more"] if len(listed) > LISTED else []
    sure = (
        any(_sure(assertion, intervals[name]) for name in broken)
        if broken
        else all(_sure(assertion, interval) for interval in intervals.values())
    )
    outcome = ("does not hold" if broken else "holds") + ("" if sure else ", but more packets may show otherwise")
    return Verdict(assertion, not broken, sure, intervals, f"{assertion.text}: {outcome}: {'; '.join(texts)}")


def evaluate_all(texts: Iterable[str], run: Delays, recorded: Recorded | None = None) -> tuple[Verdict, ...]:
    """The verdicts on several assertions, as text."""
    return tuple(evaluate(parse(text), run, recorded) for text in texts)


def unit_of(quantity: str) -> Unit:
    """The unit of a quantity, by its name."""
    if quantity == LOSS:
        return Unit.SHARE
    return names.parse(quantity).kind.unit if names.is_quantity(quantity) else Unit.TIME


def what(match: re.Match[str], where: str) -> tuple[str, str]:
    """Quantity and statistic of a match of `QUANTITY`, checked; `where` opens the message of an error."""
    quantity = (match["argument"] or match["quantity"]).strip()
    statistic = match["function"] or match["statistic"] or ""
    try:
        single = quantity == LOSS
        if names.is_quantity(quantity):
            if not match["function"] and not estimators.is_statistic(statistic):
                quantity, statistic = f"{quantity}.{statistic}".removesuffix("."), ""  # part of a milestone's name
            parsed = names.parse(quantity)
            quantity, single = parsed.name, parsed.kind.single
        if single:
            if statistic:
                raise QuantityError(
                    f"`{quantity}` is a {unit_of(quantity).name.lower()} and has no `{statistic}`; omit it."
                )
            return quantity, ""
        if not statistic:
            raise QuantityError(f"`{quantity}` has no statistic; add one of {', '.join(estimators.STATISTICS)}.")
        return quantity, estimators.checked(statistic)
    except QuantityError as error:
        raise QuantityError(f"{where}: {error}") from error


def amount(match: re.Match[str], where: str, kind: Unit) -> float:
    """The amount of a match of `AMOUNT`, in a unit that fits the quantity."""
    value, unit = float(match["amount"].replace("_", "")), (match["unit"] or "").translate(_MU)
    units = UNITS[kind]
    if unit not in units:
        given = f"the unit is `{unit}`" if unit else "the unit is missing"
        raise QuantityError(f"{where}: {given}; it must be {' or '.join(units) or 'omitted'}.")
    return value / 100 if unit == PERCENT else value * units[unit]


def interval_text(interval: Interval, unit: Unit = Unit.TIME) -> str:
    """A value with its interval: ``12.3 ms (95 % interval 12.1 ms to 12.9 ms)``; why it lacks an end, if it does."""
    return with_ends(interval, lambda value: value_text(value, unit))


def value_text(value: float, unit: Unit) -> str:
    """A value with its unit, as text."""
    if unit is Unit.TIME:
        return time_text(value, digits=5)
    if unit is Unit.SHARE:
        return share_text(value)
    if unit is Unit.FREQUENCY:
        return f"{value:.5g}/s"
    return rate_text(value) if unit is Unit.RATE else f"{value:.4g}"


def with_ends(interval: Interval, text: Callable[[float], str]) -> str:
    """A value with the ends of its interval, each as `text` has it, and with the note where an end is missing."""
    if math.isnan(interval.value):
        return f"not defined ({interval.note})" if interval.note else "not defined"
    if math.isnan(interval.low) and math.isnan(interval.high):
        return f"{text(interval.value)} ({interval.note})" if interval.note else text(interval.value)
    sentence = f"{text(interval.value)} ({100 * interval.confidence:g} % interval "
    why = f"; {interval.note}" if interval.note else ""
    if math.isnan(interval.high):
        return f"{sentence}from {text(interval.low)} on{why})"
    if math.isnan(interval.low):
        return f"{sentence}up to {text(interval.high)}{why})"
    return f"{sentence}{text(interval.low)} to {text(interval.high)})"


def _intervals(assertion: Assertion, run: Delays, recorded: Recorded | None) -> dict[str, Interval]:
    if assertion.quantity == LOSS:
        return {LOSS: run.loss()}
    if names.is_quantity(assertion.quantity):
        if recorded is None:
            raise QuantityError(f"`{assertion.quantity}` is not known of this run.")
        series = values.series(names.parse(assertion.quantity), recorded)
        return {one.name: one.interval(assertion.statistic) for one in series}
    return {
        name: intervals.for_statistic(run.samples(name), assertion.statistic, unit=run.period_ns)
        for name in run.named(assertion.quantity)
    }


def _sure(assertion: Assertion, interval: Interval) -> bool:
    """Tell whether chance is unlikely to have put a value on its side of the limit."""
    single = not assertion.statistic and assertion.quantity != LOSS
    if single and not names.parse(assertion.quantity).kind.of_packets:
        return True
    if assertion.statistic in estimators.EXTREMES or math.isnan(interval.value):
        return True
    side = assertion.is_met(interval.value)
    return not math.isnan(interval.low + interval.high) and all(
        assertion.is_met(end) == side for end in (interval.low, interval.high)
    )


def _value_text(assertion: Assertion, name: str, interval: Interval, *, delays_n: int, listed: int) -> str:
    """A value with its interval; with the delay's name if there are several, with the note if one is listed."""
    brief = dataclasses.replace(interval, note="") if listed > 1 else interval
    text = interval_text(brief, assertion.unit)
    return f"{name}: {text}" if delays_n > 1 else text
