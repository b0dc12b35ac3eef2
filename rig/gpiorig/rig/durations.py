"""Times as people write them on a command line."""

from __future__ import annotations

import re
from fractions import Fraction

from gpiorig.capture.units import TIME_NS, one_mu
from gpiorig.rig.errors import RigError

UNITS_S = {"h": Fraction(3600), "m": Fraction(60)} | {name: Fraction(ns, 10**9) for name, ns in TIME_NS.items()}
NUMBER_WITH_UNIT = re.compile(rf"(\d+(?:\.\d+)?|\.\d+) ?({'|'.join(sorted(UNITS_S, key=len, reverse=True))})")
NUMBER = re.compile(r"\d+(\.\d+)?")


def seconds(text: str) -> Fraction:
    """A time such as 90s, 10m, 1h30m, .5ms or 20us, exact."""
    parts = NUMBER_WITH_UNIT.findall(one_mu(text))
    if not parts or "".join(number + unit for number, unit in parts) != one_mu(text).replace(" ", ""):
        hint = f" (did you mean {text}s?)" if NUMBER.fullmatch(text) else ""
        raise RigError(f"{text!r} is not a time: write 90s, 10m, 1h30m, 500ms or 20us{hint}")
    return sum((Fraction(number) * UNITS_S[unit] for number, unit in parts), Fraction(0))
