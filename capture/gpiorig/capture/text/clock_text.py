"""Times in lines of text: dates, clock readings, units; integers of ns, of which no digit is lost."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction

from gpiorig.capture.numbers import integer
from gpiorig.capture.units import TIME_NS, one_mu

CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d\d?)(?:[.,](\d+))?", re.ASCII)
# ISO 8601; a space and a decimal comma are what Python's logging writes.
DATE = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d+))? ?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
STAMP_DIGITS = 9  # ns
LATEST_S = (2**63 - 1) // 10**9 - 1  # in the year 2262
_UNIT = re.compile(rf"(\d{{1,9}}(?:\.\d{{1,9}})?)?({'|'.join(TIME_NS)})", re.ASCII)


def stamp_ns(seconds: str, fraction: str) -> int | None:
    """Return a timestamp in ns since 1970 from its digits before and after the point, exactly; None if int64 lacks it.

    Parameters
    ----------
    seconds, fraction
        Decimal digits; at most nine of `fraction` count.
    """
    whole_s = integer(seconds)
    if whole_s is None or whole_s > LATEST_S:
        return None
    return whole_s * 10**9 + int(fraction[:STAMP_DIGITS].ljust(STAMP_DIGITS, "0"))


def clock_ns(hours: str, minutes: str, seconds: str, fraction: str) -> int | None:
    """Return a clock's reading in ns, of its groups in `CLOCK`; None if it does not fit into 64 bits."""
    return stamp_ns(str(int(hours or "0") * 3600 + int(minutes) * 60 + int(seconds)), fraction)


def date_ns(date: str, fraction: str, offset: str) -> int:
    """Return a date with a time in ns since 1970, of its groups in `DATE`; without an offset it is UTC.

    Raises
    ------
    ValueError
        The date does not exist.
    """
    moment = datetime.datetime.fromisoformat(date + (offset or "Z"))
    return (stamp_ns("0", fraction) or 0) + round(moment.timestamp()) * 10**9


def unit_ns(text: str) -> Fraction:
    """Return a unit of time in ns, exactly: ``us``, or a multiple, such as ``10ms`` of a slot.

    Raises
    ------
    ValueError
        It is not one.
    """
    match = _UNIT.fullmatch(one_mu(text))
    size = Fraction(match[1] or 1) * TIME_NS[match[2]] if match else Fraction(0)
    if not size:
        raise ValueError(f"{text!r} is not a unit of time")
    return size
