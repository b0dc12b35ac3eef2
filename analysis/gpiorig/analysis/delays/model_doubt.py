"""What the timing model of a virtual board may be wrong by: its settings, and what each does to a delay."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from gpiorig.analysis.delays.components import COVERAGE_FACTOR, rectangular
from gpiorig.analysis.delays.instruments import Setting
from gpiorig.analysis.number_text import DASH, MINUS, time_text


@dataclass(frozen=True, slots=True)
class Shift:
    """By how much a delay gets longer (ns) if a setting has its least, and its greatest value."""

    setting: str
    lowest_ns: float
    highest_ns: float


@dataclass(frozen=True, slots=True)
class Range:
    """By how much hardware may be faster (`low_ns`, 0 or less) and slower (`high_ns`, 0 or more); k = 2."""

    low_ns: float
    high_ns: float


def shifts(settings: Iterable[Setting], step: str, kind: str, delay_ns: float) -> tuple[Shift, ...]:
    """What each setting does to a step, by its name and its kind; without those that do nothing."""
    ends = (
        (setting.name, [end.get(step, end.get(kind, 0.0)) for end in (setting.lowest, setting.highest)])
        for setting in settings
    )
    return tuple(Shift(name, *(share * delay_ns for share in shares)) for name, shares in ends if any(shares))


def summed(parts: Iterable[Shift]) -> tuple[Shift, ...]:
    """The shifts of a delay of several steps: one setting shifts all of them together."""
    sums: dict[str, tuple[float, float]] = {}
    for part in parts:
        lowest_ns, highest_ns = sums.get(part.setting, (0.0, 0.0))
        sums[part.setting] = (lowest_ns + part.lowest_ns, highest_ns + part.highest_ns)
    return tuple(Shift(name, *ends_ns) for name, ends_ns in sums.items())


def combined(parts: Iterable[Shift]) -> Range:
    """The range of a delay: each setting lies anywhere within its limits (GUM 4.3.7), independently of the others."""
    ends = [(part.lowest_ns, part.highest_ns, 0.0) for part in parts]
    low = math.sqrt(sum(rectangular(min(shift)) ** 2 for shift in ends))
    high = math.sqrt(sum(rectangular(max(shift)) ** 2 for shift in ends))
    return Range(0.0 - COVERAGE_FACTOR * low, COVERAGE_FACTOR * high)


def range_text(model: Range) -> str:
    """Both ends with their signs; a dash where nothing is in doubt, or the doubt is not known."""
    return DASH if not model.low_ns and not model.high_ns else f"{signed(model.low_ns)} to {signed(model.high_ns)}"


def signed(ns: float) -> str:
    """A time with its sign."""
    return f"{'+' if ns > 0 else MINUS if ns < 0 else ''}{time_text(abs(ns))}"
