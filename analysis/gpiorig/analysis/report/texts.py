"""Numbers with their uncertainty, as text."""

from __future__ import annotations

import math
from collections.abc import Callable

from gpiorig.analysis.inference.intervals import Interval
from gpiorig.analysis.quantity import DASH, share_text, time_text

NEXT_TO_NOTHING = 0.0005
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def share_interval(share: Interval) -> str:
    """A share with its interval: ``50 % (48 to 52 %)``; alone where both ends read the same, or are next to nothing."""
    if not (math.isfinite(share.low) and math.isfinite(share.high)):
        return share_text(share.value)
    if share_text(share.low) == share_text(share.value) == share_text(share.high):
        return share_text(share.value)
    if max(map(abs, (share.low, share.value, share.high))) < NEXT_TO_NOTHING:
        return share_text(share.value)
    return f"{share_text(share.value)} ({_range(share, share_text, ' %')})"


def time_interval(time: Interval, *, digits: int = 3) -> str:
    """A time with its interval: ``4.48 ms (4.40 to 4.52 ms)``."""
    text = time_text(time.value, digits=digits)
    if not (math.isfinite(time.low) and math.isfinite(time.high)):
        return text
    unit = text[text.find(" ") :] if " " in text else ""
    return f"{text} ({_range(time, lambda ns: time_text(ns, digits=digits), unit)})"


def ppm_interval(ppm: Interval) -> str:
    """A skew with its interval: ``12.34 ppm (12.30 to 12.38)``."""
    if math.isnan(ppm.value):
        return DASH
    if not (math.isfinite(ppm.low) and math.isfinite(ppm.high)):
        return f"{ppm.value:.3f} ppm"
    width = ppm.high - ppm.low
    decimals = min(max(1 - math.floor(math.log10(width)), 0), 6) if width > 0 else 3
    return f"{ppm.value:.{decimals}f} ppm ({ppm.low:.{decimals}f} to {ppm.high:.{decimals}f})"


def tail_text(share: float) -> str:
    """Which packets the tail is: ``slowest 1 %``."""
    return f"slowest {100 * share:.3g} %"


def p_text(p: float) -> str:
    """A p-value."""
    if math.isnan(p):
        return DASH
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def _range(interval: Interval, text: Callable[[float], str], unit: str) -> str:
    """Both ends; the unit once, if they share it."""
    low, high = text(interval.low), text(interval.high)
    return f"{low.removesuffix(unit) if unit and high.endswith(unit) else low} to {high}"
