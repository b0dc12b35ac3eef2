"""Quantities as text: three significant digits or so, with the unit that suits."""

from __future__ import annotations

import math
import re

from gpiorig.capture.units import BITS_PER_S, TIME_STEPS, suited

NS_PER_S = 1_000_000_000
DASH = "\N{EN DASH}"
GAP = "\N{NARROW NO-BREAK SPACE}"  # between digits in threes, and on a page between a number and its unit
MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
_SMALL = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_RATES = ((1e12, "THz"), (1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"))


def time_text(ns: float, *, digits: int = 3) -> str:
    """A time such as ``8.32 ms`` or ``320 µs``, with `digits` significant digits; a dash for NaN."""
    if math.isnan(ns):
        return DASH
    if ns == 0:
        return "0"
    scale, unit = _unit(ns)
    value = ns / scale
    decimals = digits - 1 - math.floor(math.log10(abs(value)) + 1e-9)
    return typeset(f"{value:.{min(max(decimals, 0), digits)}f} {unit}")


def resolved_text(ns: float, expanded_ns: float) -> str:
    """A time to the digit that its expanded uncertainty allows: ``8.32 ms`` of 8 324 162 ± 42 000 ns.

    That is the first digit of the uncertainty, the second of one that begins with 10 to 35 (Particle Data Group, Review
    of Particle Physics, introduction, 5.3). A value below that has one digit. Without an uncertainty (NaN, infinite, 0)
    it is as `time_text` has it.
    """
    if math.isnan(ns) or ns == 0 or not (math.isfinite(expanded_ns) and expanded_ns > 0):
        return time_text(ns)
    leading = _place(expanded_ns)
    place = min(leading - (expanded_ns < 3.55 * 10**leading), _place(abs(ns)))  # of the last digit, as a power of ten
    rounded_ns = round(ns, -place)
    scale, unit = suited(abs(rounded_ns))
    return typeset(f"{rounded_ns / scale:.{max(round(math.log10(scale)) - place, 0)}f} {unit}")


def uncertain_text(ns: float, expanded_ns: float) -> str:
    """A time with its expanded uncertainty, such as ``8.324 ± 0.042 ms``.

    The uncertainty has two significant digits and the value ends where it does (JCGM 100:2008, 7.2.6); a half way goes
    to the even digit. The unit is one in which the uncertainty needs few zeros: ``1422.458 ± 0.035 µs``,
    ``162.4414 ± 0.0094 ms``. Without an
    uncertainty (NaN, infinite, 0) it is the value alone.
    """
    if math.isnan(ns) or not (math.isfinite(expanded_ns) and expanded_ns > 0):
        return time_text(ns)
    larger = max(abs(ns), expanded_ns)
    units = [pair for pair in TIME_STEPS if larger >= pair[0] * 0.9995] or [TIME_STEPS[-1]]
    # Of a value with six digits before the point a further zero is the lesser evil.
    suited = (pair for pair in units if expanded_ns >= pair[0] / (1000 if larger >= 100 * pair[0] else 100))
    scale, unit = next(suited, units[-1])
    return f"{plus_minus(ns / scale, expanded_ns / scale)} {unit}"


def plus_minus(value: float, expanded: float, *, sign: str = "") -> str:
    """A value with its expanded uncertainty, both to two digits of that: ``8.324 ± 0.042``; `sign` "+" shows a plus."""
    place = _place(float(f"{expanded:.1e}")) - 1
    decimals = max(-place, 0)
    return typeset(f"{round(value, -place) + 0.0:{sign}.{decimals}f} ± {round(expanded, -place):.{decimals}f}")


def signed_text(value: float, form: str) -> str:
    """A number with its sign, in a format such as ".1f": ``+1.5``."""
    return typeset(f"{value:+{form}}")


def typeset(text: str) -> str:
    """A number as text, with a minus sign for a hyphen in front."""
    return text.replace("-", MINUS, 1) if text.startswith("-") else text


_MINUS = re.compile(r"(?<![\w.+/:=-])-(?=\d)")
_MICRO = re.compile(r"(?<=\d) us\b")
_UNITS = re.compile(r"(?<=[\d∞]) (?=(?:[nµm]?s|%|[kMG]?Hz|ppm|pp[bm]/s|[nµm]?[JW]|[kM]?bit/s|[kMG]?B|samples?)\b|%)")
_THOUSANDS = re.compile(r"(?<![\w.,])\d{4,}(?![\w])")


def for_page(text: str) -> str:
    """Numbers in a text as a page has them: a true minus, µs, and no line break between a number and its unit."""
    return _UNITS.sub(GAP, _MICRO.sub(" µs", _MINUS.sub(MINUS, text)))


def in_threes(text: str) -> str:
    """The numbers of four digits or more in a text that has no others, such as years, in threes: ``7 220.92 µs``."""
    return _THOUSANDS.sub(lambda number: number_text(int(number[0])), text)


def _unit(ns: float) -> tuple[float, str]:
    return next((step for step in TIME_STEPS if abs(ns) >= step[0] * 0.9995), TIME_STEPS[-1])


def _place(value: float) -> int:
    """The power of ten of a value's first digit."""
    return math.floor(math.log10(value) + 1e-9)


def round_time_text(ns: float) -> str:
    """A round time, such as that of a tick: ``50 µs``, not ``50.0 µs``."""
    scale, unit = _unit(ns)
    return typeset(f"{ns / scale:g} {unit}")


def share_text(share: float) -> str:
    """A share such as ``98 %`` or ``0.4 %``; a dash for NaN.

    One too small for that is ``< 0.1 %``, whatever its sign.
    """
    if math.isnan(share):
        return DASH
    percent = 100 * share
    if 99.9 < percent < 100:
        return "> 99.9 %"
    if abs(percent) < 0.05:
        return "< 0.1 %" if percent else "0 %"
    decimals = 1 if abs(percent) < 9.95 or 99.5 <= percent <= 99.9 else 0
    return typeset(f"{percent:.{decimals}f} %")


def rate_text(bits_per_s: float) -> str:
    """A rate such as ``78.0 kbit/s`` or ``5.826 Mbit/s``; a dash for NaN."""
    if math.isnan(bits_per_s):
        return DASH
    unit, scale = [step for step in BITS_PER_S.items() if step[1] <= max(1.0, abs(bits_per_s))][-1]
    return typeset(f"{bits_per_s / scale:.4g} {unit}")


def prefixed_text(value: float, unit: str, *, digits: int = 4) -> str:
    """An energy or a power such as ``12.30 µJ``; a dash for NaN."""
    if math.isnan(value):
        return DASH
    scale, prefix = next((step for step in _SMALL if abs(value) >= step[0]), _SMALL[-1] if value else _SMALL[0])
    number = value / scale
    if abs(number) >= 10**digits:  # "g" would write an exponent
        return typeset(f"{float(f'{number:.{digits}g}'):.0f} {prefix}{unit}")
    return typeset(f"{number:#.{digits}g}".removesuffix(".") + f" {prefix}{unit}")


def hertz_text(rate_hz: float, *, digits: int = 9) -> str:
    """A samplerate such as ``24 MHz``, with at most `digits` significant digits."""
    scale, unit = next((pair for pair in _RATES if rate_hz >= pair[0]), (1.0, "Hz"))
    return f"{rate_hz / scale:.{digits}g} {unit}"


def number_text(n: int) -> str:
    """A count: ``12``, ``1 000``."""
    return typeset(f"{n:,}".replace(",", GAP))


def bytes_text(count: float) -> str:
    """A number of bytes: ``27 136 B``."""
    return f"{number_text(round(count))} B"


def count_text(n: int, noun: str, plural: str = "") -> str:
    """A count with its noun: ``1 packet``, ``1 000 packets``."""
    return f"{number_text(n)} {noun if n == 1 else plural or noun + 's'}"
