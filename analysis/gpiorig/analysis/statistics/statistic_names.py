"""Statistics of a delay by name, as a user writes them."""

from __future__ import annotations

import re
from fractions import Fraction

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.statistics.summary import LISTED

STATISTICS = tuple(statistic.name for statistic in LISTED)
EXTREMES = ("min", "max", "p2p")  # no resample estimates them
SPREADS = ("p2p", "std", "iqr")


def is_statistic(name: str) -> bool:
    """Whether there is a statistic of this name."""
    try:
        checked(name)
    except QuantityError:
        return False
    return True


def checked(name: str) -> str:
    """The name of a statistic itself, if there is one of that name; else `QuantityError`."""
    if name not in STATISTICS:
        probability(name)
    return name


def probability(name: str) -> float:
    """0.99 for ``p99``, 0.5 for ``median``."""
    match = re.fullmatch(r"p([0-9]{1,2}(?:\.[0-9]{1,9})?)", "p50" if name == "median" else name)
    p = float(Fraction(match.group(1)) / 100) if match else 0.0
    if not 0 < p < 1:
        raise QuantityError(f"statistic `{name}` is unknown; it is one of {', '.join(STATISTICS)}, or a percentile.")
    return p
