"""Limits as text: assertions such as ``rtt.p99 < 20 ms``, thresholds such as ``rtt.p99 +5 %``.

This module imports no analysis: an experiment file is checked before there is anything to analyse.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities import names, terms
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.statistics import statistic_names
from gpiorig.capture.units import BITS_PER_S, BYTES, JOULES, SHARES, TIME_NS, WATTS, one_mu

ASSERTION_EXAMPLE = "`rtt.p99 < 20 ms`, `isr.max < 50 us`, `loss < 1 %` or `p99(mac.tx -> mac.rx) < 5 ms`"
_UNITS: dict[Unit, Mapping[str, float]] = {
    Unit.TIME: TIME_NS,
    Unit.SHARE: SHARES,
    Unit.RATE: BITS_PER_S,
    Unit.FREQUENCY: {"/s": 1.0},
    Unit.ENERGY: JOULES,
    Unit.POWER: WATTS,
    Unit.BYTES: BYTES,
    Unit.COUNT: {"": 1.0},
}
_PERCENT = "%"
_RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_TERM = r"(?P<term>[^\s<>](?:->|[^<>])*?)"
_AMOUNT = r"(?P<amount>(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<unit>[^\W\d]*/s|[^\W\d]+|%)?"
_ASSERTION = re.compile(rf"\s*{_TERM}\s*(?P<relation><=|>=|<|>)\s*{_AMOUNT}\s*")
THRESHOLD_EXAMPLE = "`rtt.p99 +5 %`, `isr.median +-2 us` or `loss +1 %`"
_THRESHOLD = re.compile(rf"\s*{_TERM}\s*(?P<sign>\+-|±|\+|-)\s*{_AMOUNT}\s*")


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
class Threshold:
    """The largest change.

    Parameters
    ----------
    text
        The text as written.
    quantity, statistic
        As in `Assertion`.
    up, down
        Whether it limits growth, and decrease.
    limit
        In ns; a share of the base's value where `relative`; a difference of shares for the loss.
    relative
        Whether the unit is percent of the base's value.
    """

    text: str
    quantity: str
    statistic: str
    up: bool
    down: bool
    limit: float
    relative: bool

    def side(self, change: float) -> float:
        """The size of a change in the limited direction; negative in the other direction."""
        return abs(change) if self.up and self.down else change if self.up else -change


def is_assertion(text: str) -> bool:
    """Whether a limit has a relation, as one of a run has; one of a change has a sign."""
    return bool(re.search(r"(?<!-)[<>]", text))


def assertion(text: str) -> Assertion:
    """One assertion: quantity.statistic, relation, amount and unit.

    Raises
    ------
    QuantityError
        It is not understood; the message names the part and what is valid.
    """
    match = _ASSERTION.fullmatch(text)
    if not match:
        raise QuantityError(f"assertion `{text}`: not understood; write it like {ASSERTION_EXAMPLE}.")
    quantity, statistic = _what(match, f"assertion `{text}`")
    limit = _amount(match, f"assertion `{text}`", unit_of(quantity))
    return Assertion(text.strip(), quantity, statistic, match["relation"], limit)


def threshold(text: str) -> Threshold:
    """One threshold: quantity.statistic, sign, amount and unit.

    Raises
    ------
    QuantityError
        It is not understood; the message names the part and what is valid.
    """
    match = _THRESHOLD.fullmatch(text)
    where = f"threshold `{text}`"
    if not match:
        raise QuantityError(f"{where}: not understood; write it like {THRESHOLD_EXAMPLE}.")
    quantity, statistic = _what(match, where)
    if names.is_quantity(quantity) and unit_of(quantity) is not Unit.TIME:
        raise QuantityError(f"{where}: `{quantity}` is not a time; only times and the loss are compared.")
    share = quantity == LOSS or match["unit"] == _PERCENT
    sign = match["sign"]
    return Threshold(
        text=text.strip(),
        quantity=quantity,
        statistic=statistic,
        up=sign != "-",
        down=sign != "+",
        limit=_amount(match, where, Unit.SHARE if share else Unit.TIME),
        relative=share and quantity != LOSS,
    )


def unit_of(quantity: str) -> Unit:
    """The unit of a quantity, by its name."""
    if quantity == LOSS:
        return Unit.SHARE
    return names.parse(quantity).kind.unit if names.is_quantity(quantity) else Unit.TIME


def _what(match: re.Match[str], where: str) -> tuple[str, str]:
    """Quantity and statistic of a match of `_TERM`, checked; `where` opens the message of an error."""
    call = terms.call(match["term"])
    quantity, statistic = call[:2] if call else terms.dotted(match["term"]) or (match["term"], "")
    quantity = f"{quantity}{names.AT}{call[2]}" if call and call[2] else quantity.strip()
    try:
        single = quantity == LOSS
        if names.is_quantity(quantity):
            if not call and not statistic_names.is_statistic(statistic):
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
            raise QuantityError(f"`{quantity}` has no statistic; add one of {', '.join(statistic_names.STATISTICS)}.")
        return quantity, statistic_names.checked(statistic)
    except QuantityError as error:
        raise QuantityError(f"{where}: {error}") from error


def _amount(match: re.Match[str], where: str, kind: Unit) -> float:
    """The amount of a match of `_AMOUNT`, in a unit that fits the quantity."""
    value, unit = float(match["amount"].replace("_", "")), one_mu(match["unit"] or "")
    units = _UNITS[kind]
    if unit not in units:
        given = f"the unit is `{unit}`" if unit else "the unit is missing"
        raise QuantityError(f"{where}: {given}; it must be {' or '.join(units) or 'omitted'}.")
    return value / 100 if unit == _PERCENT else value * units[unit]
