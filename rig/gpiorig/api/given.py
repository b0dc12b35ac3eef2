"""What a caller gives, as the functions below the command line take it."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from fractions import Fraction

from gpiorig.capture import format_names
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import edge_specs
from gpiorig.rig.measure.edge_specs import Spec
from gpiorig.rig.recordings import table_columns


def exact(number: float | None) -> Fraction | None:
    """A number as it is written: 0.01 is a hundredth; `RigError` for what is not a number."""
    if number is not None and (isinstance(number, str) or not math.isfinite(number)):
        raise RigError(f"{number!r} is not a time; give a number of seconds, such as 0.01.")
    return None if number is None else Fraction(str(number))


def expression(text: str) -> str | None:
    """A regular expression that is one, else `RigError`; None of an empty text."""
    try:
        re.compile(text)
    except re.error as error:
        raise RigError(f"{text!r} is not a regular expression: {error}.") from error
    return text or None


def reading(
    *,
    format: str | None,
    samplerate: str | float | None,
    unitsize: int | None,
    channels: Sequence[str],
    columns: str,
    recover: bool,
) -> argparse.Namespace:
    """What a file does not state, as `inputs.open_file` takes it."""
    table_columns.columns(columns)
    return argparse.Namespace(
        format=None if format is None else format_names.checked(format),
        samplerate=None if samplerate is None else str(samplerate),
        unitsize=unitsize,
        channels=",".join(channels) or None,
        columns=columns or None,
        recover=recover,
    )


def measurement(start: str, end: str, period: str, width: str, skew: tuple[str, str] | None) -> Spec:
    """The measurement that is asked for; `RigError` for none, or several."""
    if sum(map(bool, (start or end, period, width, skew))) != 1 or bool(start) != bool(end):
        raise RigError("give one measurement: start and end, period, width, or skew.")
    if isinstance(skew, str) or (skew and len(skew) != 2):
        raise RigError('skew is of two channels, such as skew=("A", "B").')
    if period:
        return edge_specs.period(period)
    if width:
        return edge_specs.width(width)
    return edge_specs.skew(*skew) if skew else edge_specs.between(start, end)
