"""Amounts as a study file writes them and as a page shows them: ``35 ms``, ``1.2 %``, ``78 kbit/s``, ``12``."""

from __future__ import annotations

import math
import re

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import (
    DASH,
    NS_PER_S,
    bytes_text,
    prefixed_text,
    rate_text,
    resolved_text,
    time_text,
    typeset,
)
from gpiorig.capture.units import BITS_PER_S, BYTES, JOULES, SHARES, TIME_NS, WATTS, one_mu
from gpiorig.studies.pages.description import Value

_AMOUNT = re.compile(r"(?P<about>~?)\s*(?P<number>[-+]?(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<unit>\S*)")
# Factor to the SI unit, and that unit.
_UNITS = {
    **{name: (ns / NS_PER_S, "s") for name, ns in TIME_NS.items()},
    "min": (60.0, "s"),
    **{name: (share, "share") for name, share in SHARES.items()},
    **{name: (rate, "bit/s") for name, rate in BITS_PER_S.items()},
    "B/s": (8.0, "bit/s"),
    "1/s": (1.0, "1/s"),
    **{name: (joules, "J") for name, joules in JOULES.items()},
    **{name: (watts, "W") for name, watts in WATTS.items()},
    **{name: (count, "B") for name, count in BYTES.items()},
    "": (1.0, "1"),
}


def parse(value: Value) -> tuple[float, str]:
    """A number with its unit in SI; raises `QuantityError` if it is not understood."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), "1"
    match = _AMOUNT.fullmatch(str(value).strip())
    unit = one_mu(match["unit"]) if match else ""
    if not match or unit not in _UNITS:
        raise QuantityError(f"value `{value}`: not understood; write a number and one of {', '.join(_UNITS)}.")
    factor, si = _UNITS[unit]
    return float(match["number"].replace("_", "")) * factor, si


def precision(value: Value) -> float:
    """Half a unit of the last digit that is written, in SI; of about 100 (``"~100 us"``) that is the first one."""
    match = _AMOUNT.fullmatch(str(value).strip())
    if not match:
        raise QuantityError(f"value `{value}`: not understood.")
    digits, _, exponent = match["number"].replace("_", "").lower().partition("e")
    whole, _, decimals = digits.partition(".")
    place = -len(decimals)
    if match["about"] and not decimals and (significant := whole.rstrip("0")).strip("+-"):
        place = len(whole) - len(significant)
    factor, _ = _UNITS[one_mu(match["unit"])]
    return float(0.5 * 10.0 ** (place + int(exponent or 0)) * factor)


def limits(ends: tuple[Value, Value] | None) -> tuple[float, float] | None:
    """Both ends of a range in SI; raises `QuantityError` if one is not understood."""
    return None if ends is None else (parse(ends[0])[0], parse(ends[1])[0])


def text(value: float, unit: str, *, digits: int = 4, half_width: float = math.nan) -> str:
    """A value in SI with the unit that suits; a dash for NaN.

    A time has the digits that half the width of its interval allows, or this many where that is not known.
    """
    if not math.isfinite(value):
        return DASH
    if unit == "s" and 0 < half_width < math.inf:
        return resolved_text(value * NS_PER_S, half_width * NS_PER_S)
    if unit == "s":
        return time_text(value * NS_PER_S, digits=digits)
    if unit == "share":
        return typeset(f"{100 * value:.3g} %")
    if unit == "bit/s":
        return rate_text(value)
    if unit in ("J", "W"):
        return prefixed_text(value, unit, digits=digits)
    if unit == "B":
        return bytes_text(value)
    return typeset(f"{value:.4g}" if unit == "1" else f"{value:.4g} {unit}")


def ratio_text(ratio: float) -> str:
    """A ratio with three significant digits, and every digit before the point: ``0.926``, ``4051``."""
    if not math.isfinite(ratio):
        return DASH if math.isnan(ratio) else "∞"
    return typeset(f"{ratio:.0f}" if abs(ratio) >= 1000 else f"{ratio:.3g}")


def range_text(low: float, high: float, unit: str, *, half_width: float = math.nan) -> str:
    """Both ends of a range; the unit once, if they share it."""
    least, most = (text(end, unit, half_width=half_width) for end in (low, high))
    number, _, suffix = least.partition(" ")
    return f"{number if suffix and most.endswith(f' {suffix}') else least} to {most}"


def value_text(value: Value) -> str:
    """A value of an axis."""
    return f"{value:g}" if isinstance(value, float) else str(value)
