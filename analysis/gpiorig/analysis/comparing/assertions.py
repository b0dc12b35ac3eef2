"""Assertions: limits that the numbers of a run must keep, such as ``rtt.p99 < 20 ms``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpiorig.analysis.comparing import delays
from gpiorig.analysis.comparing.delays import Delays
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.inference import estimators, intervals
from gpiorig.analysis.inference.intervals import Interval
from gpiorig.analysis.quantity import share_text, time_text

EXAMPLE = "`rtt.p99 < 20 ms`, `isr.max < 50 us` or `loss < 1 %`"
UNITS_NS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
PERCENT = "%"
_RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
QUANTITY = r"(?P<quantity>\S.*?)(?:\.(?P<statistic>[a-z][a-z0-9]*(?:\.\d+)?))?"
AMOUNT = r"(?P<amount>\d[\d_]*(?:\.\d+)?)\s*(?P<unit>[^\W\d]+|%)?"
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
    found
        By name of the delay, the value with its interval, in ns or as a share; empty if there is no such delay.
    sentence
        The outcome with the value that was found, for people.
    """

    assertion: Assertion
    holds: bool
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
        return Verdict(assertion, False, {}, f"{assertion.text}: does not hold: {error}")
    keeps = _RELATIONS[assertion.relation]
    kept = {name: keeps(interval.value, assertion.limit) for name, interval in found.items()}
    broken = [name for name, keep in kept.items() if not keep]
    sign = 1 if assertion.relation.startswith("<") else -1
    listed = broken or [max(found, key=lambda name: sign * found[name].value)]
    said = "; ".join(_said(assertion, name, found[name], several=len(found) > 1) for name in listed)
    return Verdict(assertion, not broken, found, f"{assertion.text}: {'does not hold' if broken else 'holds'}: {said}")


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
    value, unit = float(match["amount"].replace("_", "")), match["unit"] or ""
    units = (PERCENT,) if share else tuple(UNITS_NS)
    if unit not in units:
        raise QuantityError(f"{where}: the unit is `{unit}`; it must be {' or '.join(units)}.")
    return value / 100 if unit == PERCENT else value * UNITS_NS[unit]


def interval_text(found: Interval, *, share: bool = False) -> str:
    """A value with its interval: ``12.3 ms (95 % interval 12.1 ms to 12.9 ms)``."""

    def text(value: float) -> str:
        if math.isnan(value):
            return "open"
        return share_text(value) if share else time_text(value, digits=5)

    if math.isnan(found.low) and math.isnan(found.high):
        return f"{text(found.value)} ({found.note})" if found.note else text(found.value)
    ends = f"{text(found.low)} to {text(found.high)}"
    return f"{text(found.value)} ({100 * found.confidence:g} % interval {ends})"


def _found(assertion: Assertion, run: Delays) -> dict[str, Interval]:
    if assertion.quantity == delays.LOSS:
        return {delays.LOSS: run.loss()}
    return {
        name: intervals.of_statistic(run.values[name], assertion.statistic, unit=run.period_ns)
        for name in run.named(assertion.quantity)
    }


def _said(assertion: Assertion, name: str, found: Interval, *, several: bool) -> str:
    text = interval_text(found, share=assertion.quantity == delays.LOSS)
    return f"{name}: {text}" if several else text
