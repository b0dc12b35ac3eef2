"""Assertions: limits that the numbers of a run must meet, such as ``rtt.p99 < 20 ms``."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.compare.limits import Assertion, assertion
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import (
    bytes_text,
    prefixed_text,
    rate_text,
    resolved_text,
    share_text,
    time_text,
    typeset,
)
from gpiorig.analysis.quantities import names, values
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.statistics import intervals, statistic_names
from gpiorig.analysis.statistics.intervals import CONFIDENCE, Interval

LISTED = 12  # delays that a sentence writes out


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
    return tuple(evaluate(assertion(text), run, recorded) for text in texts)


def interval_text(interval: Interval, unit: Unit = Unit.TIME) -> str:
    """A value with its interval: ``12.3 ms (95 % interval 12.1 ms to 12.9 ms)``; why it lacks an end, if it does."""
    return with_ends(interval, lambda value: value_text(value, unit, interval.half_width))


def value_text(value: float, unit: Unit, half_width: float = math.nan) -> str:
    """A value with its unit, as text: a time to the digits that half the width of its interval allows."""
    if unit is Unit.TIME:
        return resolved_text(value, half_width) if half_width > 0 else time_text(value, digits=5)
    if unit is Unit.SHARE:
        return share_text(value)
    if unit in (Unit.ENERGY, Unit.POWER):
        return prefixed_text(value, unit.value)
    if unit is Unit.BYTES:
        return bytes_text(value)
    if unit is Unit.FREQUENCY:
        return typeset(f"{value:.5g}/s")
    return rate_text(value) if unit is Unit.RATE else typeset(f"{value:.4g}")


def with_ends(interval: Interval, text: Callable[[float], str]) -> str:
    """A value with the ends of its interval, each as `text` has it, and with the note where an end is missing."""
    if math.isnan(interval.value):
        return f"not defined ({interval.note})" if interval.note else "not defined"
    if math.isnan(interval.low) and math.isnan(interval.high):
        return f"{text(interval.value)} ({interval.note})" if interval.note else text(interval.value)
    sentence = f"{text(interval.value)} ({100 * CONFIDENCE:g} % interval "
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
    if assertion.statistic in statistic_names.EXTREMES or math.isnan(interval.value):
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
