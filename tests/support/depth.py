"""How deep the tests go: `make test` runs what can break, `make test-deep` the full simulations of it."""

from __future__ import annotations

import os
from typing import TypeVar

DEEP = os.environ.get("GPIORIG_DEEP", "") not in ("", "0")  # set by `make test-deep`
RISK = 1e-3  # that a share at its limit fails a bound

Value = TypeVar("Value")


def by_depth(usual: Value, deep: Value) -> Value:
    """Return the number of runs, of cases or whatever else differs between the two depths."""
    return deep if DEEP else usual


def fewest(runs: int, share: float, *, risk: float = RISK) -> int:
    """Return how many of `runs` must succeed when each does with the probability `share` or more, at this risk."""
    from scipy.stats import binom  # half a second, which most runs need not spend

    return int(binom.ppf(risk, runs, share))


def most(runs: int, share: float, *, risk: float = RISK) -> int:
    """Return how many of `runs` may succeed when each does with the probability `share` or less, at this risk."""
    from scipy.stats import binom

    return int(binom.isf(risk, runs, share))
