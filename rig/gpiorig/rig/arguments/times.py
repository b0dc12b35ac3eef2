"""Times on the command line: `250ms`, `1.5s`, `1h30m`; and instants, which may be samples, `240000sa`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from fractions import Fraction

from gpiorig.capture.text import clock_text
from gpiorig.rig import durations
from gpiorig.rig.errors import RigError

SAMPLES = "sa"
INSTANT = f"TIME|N{SAMPLES}"


@dataclass(frozen=True, slots=True)
class Instant:
    """A place in a recording: seconds from sample 0, or a sample.

    Attributes
    ----------
    seconds, sample
        One of them.
    """

    seconds: Fraction = Fraction(0)
    sample: int | None = None

    def at(self, samplerate_hz: Fraction) -> int:
        """The sample; of a time the first one at or after it."""
        if self.sample is not None:
            return self.sample
        samples = self.seconds * samplerate_hz
        return -(-samples.numerator // samples.denominator)


def duration(text: str) -> Fraction:
    """A length of time in seconds."""
    try:
        return durations.seconds(text)
    except RigError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def positive(text: str) -> Fraction:
    """A length of time in seconds that is not 0."""
    if not (seconds := duration(text)):
        raise argparse.ArgumentTypeError(f"{text} is not longer than 0; give a longer time")
    return seconds


def unit(text: str) -> str:
    """A unit of time: s, ms, us or ns, or a multiple of one, such as that of a slot."""
    try:
        clock_text.unit_ns(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}: give s, ms, us, ns, or a multiple such as 10ms") from None
    return text


def instant(text: str) -> Instant:
    """A time from sample 0, or a sample; a bare number is neither."""
    sign, size = (-1, text[1:]) if text.startswith("-") else (1, text)
    number = size.removesuffix(SAMPLES)
    if number != size and number.isdecimal():
        return Instant(sample=sign * int(number))
    if size.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} has no unit: write {text}{SAMPLES} for a sample, {text}s or {text}ms for a time from sample 0"
        )
    return Instant(seconds=sign * duration(size))
