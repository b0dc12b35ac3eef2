"""Amounts with a unit, which statistics are compared with: ``ms(9)``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a unit.

    Parameters
    ----------
    number
        As written.
    unit
        As limits have it: ``ns``, ``us``, ``ms``, ``s``, ``%``.
    """

    number: float
    unit: str

    def __str__(self) -> str:
        return f"{self.number!r} {self.unit}"


def ns(number: float) -> Amount:
    """Nanoseconds."""
    return Amount(number, "ns")


def us(number: float) -> Amount:
    """Microseconds."""
    return Amount(number, "us")


def ms(number: float) -> Amount:
    """Milliseconds."""
    return Amount(number, "ms")


def s(number: float) -> Amount:
    """Seconds."""
    return Amount(number, "s")


def percent(number: float) -> Amount:
    """Hundredths of a whole: of packets, of time."""
    return Amount(number, "%")
