"""Assertions: limits that the numbers of a run must keep, such as ``rtt.p99 < 20 ms``."""

from __future__ import annotations

import dataclasses
import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpiorig.analysis.compare import delays
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantity import share_text, time_text
from gpiorig.analysis.statistics import estimators, intervals
from gpiorig.analysis.statistics.intervals import Interval

EXAMPLE = "`rtt.p99 < 20 ms`, `isr.max < 50 us` or `loss < 1 %`"
UNITS_NS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
PERCENT = "%"
_MU = str.maketrans("\N{GREEK SMALL LETTER MU}", "\N{MICRO SIGN}")
LISTED = 12  # delays that a sentence writes out
_RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
QUANTITY = r"(?P<quantity>[^\s<>][^<>]*?)(?:\.(?P<statistic>[a-z][a-z0-9]*(?:\.\d+)?))?"
AMOUNT = r"(?P<amount>(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<unit>[^\W\d]+|%)?"
_ASSERTION = re.compile(rf"\s*{QUANTITY}\s*(?P<relation><=|>=|<|>)\s*{AMOUNT}\s*")


@dataclass(frozen=True, slots=True)
class Assertion:
    """One limit.

    Parameters
    ----------
    text
        As it was written.
    quantity
        What `delays.Delays.named` takes, or `delays.LOSS`.
    statistic
        What `intervals.of_statistic` takes; empty for the loss.
    relation
        ``<``, ``<=``, ``>`` or ``>=``.
    limit
        In ns; of the loss, a share.
    """

    text: str
    quantity: str
    statistic: str
    relation: str
    limit: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run says of an assertion.

    Parameters
    ----------
    assertion
        The assertion.
    holds
        Whether every delay it is about keeps the limit; a run without such a delay does not.
    sure
        Whether the intervals of the delays that decide say the same; of extremes, which have none, what was seen does.
    found
        By name of the delay, the value with its interval, in ns or as a share; empty if there is no such delay.
    sentence
        The outcome with the value that was found, for people.
    """

    assertion: Assertion
    holds: bool
    sure: bool
    found: dict[str, Interval]
    sentence: str


def parse(text: str) -> Assertion:
    """One assertion: quantity.statistic, relation, amount and unit.

    Raises
    ------
    QuantityError
        It cannot be understood; the message says which part, and what would be valid.
    """
    match = _ASSERTION.fullmatch(text)
    if not match:
        raise QuantityError(f"assertion `{text}`: not understood; write it like {EXAMPLE}.")
    quantity, statistic = what(match, f"assertion `{text}`")
    limit = amount(match, f"assertion `{text}`", share=quantity == delays.LOSS)
    return Assertion(text.strip(), quantity, statistic, match["relation"], limit)


def evaluate(assertion: Assertion, run: Delays) -> Verdict:
    """Whether a run keeps a limit. The value that was found decides; its interval is only said."""
    try:
        found = _found(assertion, run)
    except QuantityError as error:
        return Verdict(assertion, False, True, {}, f"{assertion.text}: does not hold: {error}")
    keeps = _RELATIONS[assertion.relation]
    kept = {name: keeps(interval.value, assertion.limit) for name, interval in found.items()}
    broken = [name for name, keep in kept.items() if not keep]
    sign = 1 if assertion.relation.startswith("<") else -1
    listed = broken or [max(found, key=lambda name: sign * found[name].value)]
    said = [_said(assertion, name, found[name], of=len(found), listed=len(listed)) for name in listed[:LISTED]]
    said += [f"and {len(listed) - LISTED} more"] if len(listed) > LISTED else []
    sure = (
        any(_sure(assertion, found[name]) for name in broken)
        if broken
        else all(_sure(assertion, each) for each in found.values())
    )
    outcome = ("does not hold" if broken else "holds") + ("" if sure else ", but more packets may show otherwise")
    return Verdict(assertion, not broken, sure, found, f"{assertion.text}: {outcome}: {'; '.join(said)}")


def evaluate_all(texts: Iterable[str], run: Delays) -> tuple[Verdict, ...]:
    """The verdicts on several assertions, as text."""
    return tuple(evaluate(parse(text), run) for text in texts)


def what(match: re.Match[str], where: str) -> tuple[str, str]:
    """Quantity and statistic of a match of `QUANTITY`, checked; `where` opens the message of an error."""
    quantity, statistic = match["quantity"].strip(), match["statistic"] or ""
    try:
        if quantity == delays.LOSS:
            if statistic:
                raise QuantityError(f"`{quantity}` is a share and has no `{statistic}`; leave that out.")
            return quantity, ""
        if not statistic:
            raise QuantityError(f"`{quantity}` has no statistic; add one of {', '.join(estimators.STATISTICS)}.")
        return quantity, estimators.checked(statistic)
    except QuantityError as error:
        raise QuantityError(f"{where}: {error}") from error


def amount(match: re.Match[str], where: str, *, share: bool) -> float:
    """The amount of a match of `AMOUNT`, in ns; as a share where the unit is the percent sign, if `share` lets it."""
    value, unit = float(match["amount"].replace("_", "")), (match["unit"] or "").translate(_MU)
    units = (PERCENT,) if share else tuple(UNITS_NS)
    if unit not in units:
        given = f"the unit is `{unit}`" if unit else "there is no unit"
        raise QuantityError(f"{where}: {given}; it must be {' or '.join(units)}.")
    return value / 100 if unit == PERCENT else value * UNITS_NS[unit]


def interval_text(found: Interval, *, share: bool = False) -> str:
    """A value with its interval: ``12.3 ms (95 % interval 12.1 ms to 12.9 ms)``; why it lacks an end, if it does."""

    def text(value: float) -> str:
        return share_text(value) if share else time_text(value, digits=5)

    return with_ends(found, text)


def with_ends(found: Interval, text: Callable[[float], str]) -> str:
    """A value with the ends of its interval, each as `text` has it, and with the note where an end is missing."""
    if math.isnan(found.value):
        return f"not defined ({found.note})" if found.note else "not defined"
    if math.isnan(found.low) and math.isnan(found.high):
        return f"{text(found.value)} ({found.note})" if found.note else text(found.value)
    said = f"{text(found.value)} ({100 * found.confidence:g} % interval "
    why = f"; {found.note}" if found.note else ""
    if math.isnan(found.high):
        return f"{said}from {text(found.low)} on{why})"
    if math.isnan(found.low):
        return f"{said}up to {text(found.high)}{why})"
    return f"{said}{text(found.low)} to {text(found.high)})"


def _found(assertion: Assertion, run: Delays) -> dict[str, Interval]:
    if assertion.quantity == delays.LOSS:
        return {delays.LOSS: run.loss()}
    return {
        name: intervals.of_statistic(run.samples(name), assertion.statistic, unit=run.period_ns)
        for name in run.named(assertion.quantity)
    }


def _sure(assertion: Assertion, found: Interval) -> bool:
    """Whether chance is unlikely to have put a value on its side of the limit."""
    if assertion.statistic in estimators.EXTREMES or math.isnan(found.value):
        return True
    keeps = _RELATIONS[assertion.relation]
    side = keeps(found.value, assertion.limit)
    return not math.isnan(found.low + found.high) and all(
        keeps(end, assertion.limit) == side for end in (found.low, found.high)
    )


def _said(assertion: Assertion, name: str, found: Interval, *, of: int, listed: int) -> str:
    """A value with its interval, of several delays with the name; notes are for one alone."""
    brief = dataclasses.replace(found, note="") if listed > 1 else found
    text = interval_text(brief, share=assertion.quantity == delays.LOSS)
    return f"{name}: {text}" if of > 1 else text
