"""Shared parts of the writers of text formats: a file replaced in one step, and a capture row by row."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TextIO

from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError

Row = tuple[int, int, int]
GAP = -1  # in place of levels: from that sample on nothing is known


@contextmanager
def text_file(path: Path) -> Iterator[TextIO]:
    """Give a text file to write; it replaces the one of its name when it is complete, and leaves it alone otherwise."""
    with replacing(path) as new, new.open("w", encoding="utf-8", newline="\n") as file:
        yield file


def rows(waveform: Waveform) -> Iterator[Row]:
    """Yield (sample, levels, changed channels) of each row; the first row, and one after a gap, has all as changed.

    A gap is a row whose levels are GAP; the last row, (end, GAP, 0), is the end of the capture.
    """
    everything = sum(1 << bit for bit, name in enumerate(waveform.channels) if name)
    levels, end = GAP, 0
    for block in waveform.read():
        gaps = block.gaps.tolist()
        for sample, now in zip(block.samples.tolist(), block.levels.tolist(), strict=True):
            while gaps and gaps[0][1] <= sample:
                yield gaps.pop(0)[0], GAP, 0
                levels = GAP
            changed = everything if levels == GAP else (levels ^ now) & everything
            if changed:
                yield sample, now, changed
            levels = now
        for gap in gaps:
            yield gap[0], GAP, 0
            levels = GAP
        end = block.end
    yield end, GAP, 0


def epoch_fraction(epoch: str) -> Fraction:
    """Return an ISO 8601 instant as seconds since 1970, with every digit; 0 for "".

    Raises
    ------
    CaptureError
        It is not a date and time.
    """
    if not epoch:
        return Fraction(0)
    match = re.fullmatch(r"(.+?:\d\d:\d\d)(\.\d+)?(.*)", epoch)
    try:
        if match is None:
            raise ValueError
        second = datetime.datetime.fromisoformat(match[1] + match[3])
    except ValueError as error:
        raise CaptureError(f"{epoch!r} is not a date and time", remedy="use ISO 8601 with an offset") from error
    second = second if second.tzinfo else second.replace(tzinfo=datetime.UTC)
    return Fraction(int(second.timestamp())) + Fraction(f"0{match[2]}" if match[2] else 0)


def decimal(value: int, digits: int) -> str:
    """Return value / 10^digits as text, with all its digits."""
    sign, size = ("-", -value) if value < 0 else ("", value)
    return f"{sign}{size // 10**digits}.{size % 10**digits:0{digits}}" if digits else f"{sign}{size}"


def digits_for(samplerate_hz: Fraction) -> tuple[int, bool]:
    """Return digits of seconds that distinguish samples, and whether they are exact.

    Where no number of digits is exact, it is one that is at least 100 times finer than a sample.
    """
    for digits in range(16):
        if (Fraction(10**digits) / samplerate_hz).denominator == 1:
            return digits, True
    digits = 0
    while 10**digits < 100 * samplerate_hz:
        digits += 1
    return digits, False


def nearest(value: Fraction) -> int:
    """Return the nearest integer; a half goes up."""
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def scaler(scale: Fraction, offset: Fraction = Fraction(0)) -> Callable[[int], int]:
    """Return what takes a number to the nearest integer to number * scale + offset; a half goes up."""
    under = math.lcm(scale.denominator, offset.denominator)
    factor, add = 2 * int(scale * under), 2 * int(offset * under) + under
    return lambda number: (number * factor + add) // (2 * under)
