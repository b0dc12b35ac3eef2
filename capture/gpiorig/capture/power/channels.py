"""Which channels of a file are the current and the voltage, as a user names them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.errors import FormatError
from gpiorig.capture.power.trace import Floats, PowerBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a user names of a power trace; empty where the file has one of it only.

    Attributes
    ----------
    amperes
        The channel of the current, with a factor where it is of another quantity: ``A0*0.1`` of a shunt of 10 ohm.
    volts
        The channel of the voltage in the same way; or a number, the supply's, of a file without one.
    node
        The node, of a file of several.
    """

    amperes: str = ""
    volts: str = ""
    node: str = ""

    @property
    def supply_v(self) -> float | None:
        """The voltage as a number; None where it is a channel."""
        try:
            supply = float(self.volts)
        except ValueError:
            return None
        return supply if math.isfinite(supply) else None


def current(names: Sequence[str], named: Named, path: Path) -> tuple[str, float]:
    """The channel of the current, and the amperes in one of its units."""
    return _picked(names, named.amperes, "amperes", path)


def voltage(names: Sequence[str], named: Named, path: Path) -> tuple[str, float]:
    """The channel of the voltage, and the volts in one of its units; "" and the supply's where that is a number."""
    if named.supply_v is not None:
        return "", named.supply_v
    if not names and not named.volts:
        raise FormatError("has no voltage", where=path, remedy="give the supply's, for instance volts=3.3")
    return _picked(names, named.volts, "volts", path)


def _picked(names: Sequence[str], given: str, key: str, path: Path) -> tuple[str, float]:
    name, _, factor = given.rpartition("*") if "*" in given else (given, "", "1")
    try:
        scale = float(factor)
    except ValueError:
        scale = math.nan
    if not math.isfinite(scale):
        raise FormatError(f"{key}={given}: {factor!r} is not a number", where=path, remedy=f"write {key}=NAME*0.1")
    if not name and len(names) == 1:
        return names[0], scale
    if name not in names:
        problem = f"has no channel {name!r}" if name else f"has {len(names)} channels that may be the {key}"
        remedy = f"give {key}=NAME, of {', '.join(names) or 'a file that has one'}"
        raise FormatError(problem, where=path, remedy=remedy)
    return name, scale


def known_parts(start: int, volts: Floats, amperes: Floats, is_known: NDArray[np.bool_]) -> Iterator[PowerBlock]:
    """The blocks of those samples that are known."""
    cuts = [0, *(np.flatnonzero(np.diff(is_known)) + 1).tolist(), len(is_known)]
    for low, high in pairwise(cuts):
        if is_known[low]:
            yield PowerBlock(start + low, volts[low:high], amperes[low:high])
