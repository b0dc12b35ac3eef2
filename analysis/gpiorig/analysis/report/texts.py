"""Numbers with their uncertainty, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpiorig.analysis.number_text import DASH, number_text, resolved_text
from gpiorig.analysis.statistics.interval_text import ends_text, share_interval
from gpiorig.analysis.statistics.intervals import Interval

__all__ = ["capped_share", "p_text", "share_interval", "tail_text", "time_interval"]
NEARLY_ALL = 0.995


def time_interval(time: Interval) -> str:
    """A time with its interval: ``4.48 ms (4.40 to 4.52 ms)``."""
    text = resolved_text(time.value, time.half_width)
    if not (math.isfinite(time.low) and math.isfinite(time.high)):
        return text
    unit = text[text.find(" ") :] if " " in text else ""
    return f"{text} ({ends_text(time, lambda ns: resolved_text(ns, time.half_width), unit)})"


def tail_text(packets: int, all_packets: int) -> str:
    """The packets of the tail: ``slowest 10 of 1 000``."""
    return f"slowest {number_text(packets)} of {number_text(all_packets)}"


def capped_share(share: Interval) -> str:
    """A share with its interval; a share above 100 % is all of it: the other steps compensate for the rest."""
    if share.value > 1 or (share.value >= NEARLY_ALL and share.high > 1):
        return "all of it (other steps are short when it is long)"
    return share_interval(share)


def joined_steps(names: Sequence[str]) -> str:
    """Names of steps, those of one way together: ``request: app to udp, udp to ipv6; reply: app to udp``."""
    ways: dict[str, list[str]] = {}
    for name in names:
        way, colon, short = name.partition(": ")
        ways.setdefault(way if colon else "", []).append(short or name)
    by_steps: dict[str, list[str]] = {}
    for way, shorts in ways.items():
        by_steps.setdefault(", ".join(shorts), []).append(way)
    return "; ".join(f"{' and '.join(filter(None, of))}: {steps}".removeprefix(": ") for steps, of in by_steps.items())


def p_text(p: float) -> str:
    """A p-value."""
    if math.isnan(p):
        return DASH
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"
