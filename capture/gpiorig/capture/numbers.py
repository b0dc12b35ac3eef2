"""Numbers in third-party files: bounded before they are computed with, so that none of them fills memory or time."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.errors import FormatError

INTEGER_DIGITS = 18  # int64 holds each integer of this many digits
SLOWEST_HZ = Fraction(1, 10**6)
FASTEST_HZ = Fraction(10**15)  # 1 fs, the finest timescale of VCD, and GHDL's (recalled, unverified)
PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}  # sigrok writes "2 mHz" for 2 MHz, never milli
_INTEGER = re.compile(rf"[0-9]{{1,{INTEGER_DIGITS}}}")
_RATIO = re.compile(rf"([0-9]{{1,{INTEGER_DIGITS}}})(?:/([0-9]{{1,{INTEGER_DIGITS}}}))?")
_RATE = re.compile(
    rf"\s*([0-9]{{1,{INTEGER_DIGITS}}}(?:\.[0-9]{{1,{INTEGER_DIGITS}}})?)\s*([kmg]?)(?:hz)?\s*", re.IGNORECASE
)


def integer(text: str) -> int | None:
    """Return the integer that a text is, without a sign and of at most 18 ASCII digits; None for anything else."""
    return int(text) if _INTEGER.fullmatch(text) else None


def ratio(text: str) -> Fraction | None:
    """Return the ratio written "N/D" or "N", each an `integer`, D not 0; None for anything else."""
    match = _RATIO.fullmatch(text)
    if match is None or (match[2] is not None and not int(match[2])):
        return None
    return Fraction(int(match[1]), int(match[2] or 1))


def samplerate(rate_hz: Fraction | float, *, where: str | Path = "") -> Fraction:
    """Return a samplerate that is one, exactly.

    Parameters
    ----------
    rate_hz
        Samples per second, as a file or a user gives them.
    where
        The file.

    Raises
    ------
    FormatError
        It is not from 1 µHz to 10^15 Hz (steps of 1 fs).
    """
    if not SLOWEST_HZ <= rate_hz <= FASTEST_HZ:  # true of NaN, too
        shown = "more than 1e+300" if rate_hz > 10**300 else f"{float(rate_hz):g}"
        raise FormatError(
            f"a samplerate of {shown} Hz is out of range",
            where=where,
            remedy=f"give {float(SLOWEST_HZ):g} to {float(FASTEST_HZ):g} Hz",
        )
    return Fraction(rate_hz)


def parse_samplerate(text: str, *, where: str | Path = "") -> Fraction:
    """Return the samplerate, in Hz, that is written as "24 MHz", "1.515151 MHz", "1MHz" or "2 mHz" (of sigrok: 2 MHz).

    0 is returned unchanged: sigrok writes it for an unknown rate.

    Parameters
    ----------
    text
        A number, a prefix, a unit.
    where
        The file.

    Raises
    ------
    FormatError
        It is not one, or out of bounds.
    """
    match = _RATE.fullmatch(text)
    if match is None:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise FormatError(f"{shown!r} is not a samplerate", where=where, remedy='a valid one: "24 MHz"')
    rate_hz = Fraction(match[1]) * PREFIXES[match[2].lower()]
    return samplerate(rate_hz, where=where) if rate_hz else rate_hz
