"""Shares with their intervals, as text."""

from __future__ import annotations

import math
from collections.abc import Callable

from gpiorig.analysis.number_text import share_text
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
