"""Times as logs write them: numbers, ``mm:ss.fff`` as Cooja does, dates with times as loggers do."""

from __future__ import annotations

import re
from decimal import Decimal

from gpiorig.capture.text.clock_text import CLOCK, DATE, clock_ns, date_ns, unit_ns

HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]+")
LIMIT = 1 << 63  # of an int64: 292 years in ns


def in_ns(text: str | None, *, unit: str) -> int:
    """A time in integer ns, of which no digit of the first nine after the point is lost.

    Parameters
    ----------
    text
        A number; ``mm:ss``, ``h:mm:ss`` or a date with a time (without an offset: UTC), all with a fraction or without;
        None of a group that took no part in a match.
    unit
        Of a number: s, ms, us, ns, or a multiple of one, such as 10ms of a slot.

    Raises
    ------
    ValueError
        It is none of these, or does not fit into 64 bits.
    """
    if text is None:
        raise ValueError("the group is not in the line")
    ns: int | None
    if match := CLOCK.fullmatch(text):
        ns = clock_ns(*match.groups(default=""))
    elif match := DATE.fullmatch(text):
        ns = date_ns(*match.groups(default=""))
    else:
        ns = _from_number(text, unit)
    if ns is None or abs(ns) >= LIMIT:
        raise ValueError(f"{text!r} is beyond 292 years")
    return ns


def number(text: str | None, *, base: int = 10) -> int | Decimal:
    """Exact number in a group: decimal, ``0x…``, or of another base; raises `ValueError` if it is not a number.

    `text` is None where a group took no part in the match.
    """
    if text is None:
        raise ValueError("the group is not in the line")
    if base != 10 or text.isdecimal() or HEX.fullmatch(text):
        return int(text, 0 if base == 10 and not text.isdecimal() else base)
    try:
        value = Decimal(text)
    except ArithmeticError as error:
        raise ValueError(text) from error
    if not value.is_finite():
        raise ValueError(text)
    return value


def _from_number(text: str, unit: str) -> int:
    try:
        return int(Decimal(text) * unit_ns(unit).numerator / unit_ns(unit).denominator)
    except ArithmeticError as error:  # an infinity, too; int() raises ValueError for NaN
        raise ValueError(f"{text!r} is not a time") from error
