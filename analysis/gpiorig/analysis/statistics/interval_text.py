"""Shares and rates with their intervals, as text."""

from __future__ import annotations

import math
from collections.abc import Callable

from gpiorig.analysis.number_text import DASH, share_text, typeset
from gpiorig.analysis.statistics.intervals import Interval

NEXT_TO_NOTHING = 0.0005


def share_interval(share: Interval) -> str:
    """A share with its interval: ``50 % (48 to 52 %)``; alone where both ends read the same, or are next to nothing."""
    if not (math.isfinite(share.low) and math.isfinite(share.high)):
        return share_text(share.value)
    if share_text(share.low) == share_text(share.value) == share_text(share.high):
        return share_text(share.value)
    if max(map(abs, (share.low, share.value, share.high))) < NEXT_TO_NOTHING:
        return share_text(share.value)
    return f"{share_text(share.value)} ({ends_text(share, share_text, ' %')})"


def ends_text(interval: Interval, text: Callable[[float], str], unit: str) -> str:
    """Both ends; the unit once, if they share it."""
    low, high = text(interval.low), text(interval.high)
    return f"{low.removesuffix(unit) if unit and high.endswith(unit) else low} to {high}"


def ppm_interval(ppm: Interval, *, sign: str = "") -> str:
    """A skew with its interval, to two digits of its width: ``12.34 ppm (12.30 to 12.38)``; `sign` "+" shows a plus.

    Without an interval it has three digits.
    """
    if math.isnan(ppm.value):
        return DASH
    if not (math.isfinite(ppm.low) and math.isfinite(ppm.high)):
        return f"{typeset(f'{ppm.value:{sign}.3g}')} ppm (no interval)"
    width = ppm.high - ppm.low
    decimals = min(max(1 - math.floor(math.log10(width)), 0), 6) if width > 0 else 3
    value, low, high = (
        typeset(f"{round(number, decimals) + 0.0:{sign}.{decimals}f}")  # + 0: not -0
        for number in (ppm.value, ppm.low, ppm.high)
    )
    return f"{value} ppm ({low} to {high})"
