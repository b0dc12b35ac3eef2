"""Two runs as a pair: the delays that both have, what changed, and the sentences on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.compare import common, comparison, sentences
from gpiorig.analysis.compare.common import Joined
from gpiorig.analysis.compare.comparison import Comparison, Watch
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.quantities.delays import NONE_COMPLETE

Values = Mapping[str, NDArray[np.int64]]  # in samples, by the name of the series


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs, compared.

    Attributes
    ----------
    before, now
        The delays that both have, and their quantities.
    comparison
        The changes.
    joined
        Delays that were joined because only one of the runs has them apart.
    """

    before: Delays
    now: Delays
    comparison: Comparison
    joined: tuple[Joined, ...]

    @property
    def sentences(self) -> list[str]:
        """What changed, and which packets were compared."""
        return [*sentences.sentences(self.comparison), *common.sentences(self.joined), *_routes(self.before, self.now)]


def pair(before: Delays, now: Delays, *, values: tuple[Values, Values] = ({}, {}), watch: Watch = iter) -> Pair:
    """Compare two runs, and their quantities; `obstacle` tells whether they can be compared.

    Parameters
    ----------
    before, now
        Base and new run.
    values
        Their quantities.
    watch
        As in `comparison.compare`.
    """
    before, now, joined = common.common(before, now)
    before, now = (replace(run, values={**run.values, **more}) for run, more in zip((before, now), values, strict=True))
    return Pair(before, now, comparison.compare(before, now, watch=watch), joined)


def obstacle(before: Delays, now: Delays) -> str:
    """Why two runs cannot be compared, a clause; empty if they can."""
    if not before.complete:
        return f"{NONE_COMPLETE}, so there is nothing to compare with"
    if now.complete and not set(before.values) & set(now.values):
        return (
            f"the runs have no delay in common: the base has {', '.join(list(before.values)[:2])} …, the new one "
            f"{', '.join(list(now.values)[:2])} …"
        )
    return ""


def _routes(before: Delays, now: Delays) -> list[str]:
    """Which packets were compared, if they went different ways."""
    same = before.route == now.route or not now.complete
    return [] if same else [f"Compared: {before.route} of the base, {now.route} of the new run."]
