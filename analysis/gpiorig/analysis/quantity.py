"""Quantities as text: three significant digits or so, with the unit that suits."""

from __future__ import annotations

import math

DASH = "\N{EN DASH}"
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def time_text(ns: float, *, digits: int = 3) -> str:
    """A time such as ``8.32 ms`` or ``320 µs``; a dash for NaN."""
    if math.isnan(ns):
        return DASH
    if ns == 0:
        return "0"
    scale, unit = next((pair for pair in _UNITS if abs(ns) >= pair[0] * 0.9995), _UNITS[-1])
    value = ns / scale
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)) + 1e-9)) if value else 0
    return f"{value:.{min(decimals, digits)}f} {unit}"


def round_time_text(ns: float) -> str:
    """A round time, such as that of a tick: ``50 µs``, not ``50.0 µs``."""
    scale, unit = next((pair for pair in _UNITS if abs(ns) >= pair[0] * 0.9995), _UNITS[-1])
    return f"{ns / scale:g} {unit}"


def share_text(share: float) -> str:
    """A share such as ``98 %`` or ``0.4 %``; a dash for NaN.

    One too small for that is ``< 0.1 %``, whatever its sign.
    """
    if math.isnan(share):
        return DASH
    percent = 100 * share
    if abs(percent) < 0.05:
        return "< 0.1 %" if percent else "0 %"
    return f"{percent:.0f} %" if abs(percent) >= 9.95 else f"{percent:.1f} %"


def count_text(n: int, noun: str, plural: str = "") -> str:
    """A count with its noun: ``1 packet``, ``1 000 packets``."""
    return f"{n:,} ".replace(",", "\N{NO-BREAK SPACE}") + (noun if n == 1 else plural or noun + "s")
