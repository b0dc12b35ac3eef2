"""Judgements: whether the values here agree with one thing that a document states, at one combination of the axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from gpiorig.studies.pages.bounds import Place
from gpiorig.studies.pages.published import where_text
from gpiorig.studies.pages.statistics import Coordinates

Verdict = Literal["agrees in size", "agrees in shape", "agrees in order", "disagrees", "cannot be judged"]
SIZE: Verdict = "agrees in size"
SHAPE: Verdict = "agrees in shape"
ORDER: Verdict = "agrees in order"
DISAGREES: Verdict = "disagrees"
UNJUDGED: Verdict = "cannot be judged"
VERDICTS = (SIZE, SHAPE, ORDER, DISAGREES, UNJUDGED)
NO_VALUE = "no value"
_WEAKEST = (DISAGREES, UNJUDGED, ORDER, SHAPE, SIZE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict with the numbers that decide it.

    Parameters
    ----------
    at
        Axis values; the axes of a comparison are not among them.
    verdict
        What it is.
    here
        The values here, with intervals and n.
    bound
        What would agree.
    ratio
        Value here over the published one; NaN without one.
    why
        What decided it, or why it cannot be judged.
    """

    at: Coordinates
    verdict: Verdict
    here: str
    bound: str = ""
    ratio: float = math.nan
    why: str = ""

    @property
    def place(self) -> str:
        """Its axis values as text."""
        return where_text({axis: value for axis, value in self.at.items() if value != ""})


def of_places(places: Sequence[Place], *, agrees: Verdict) -> Verdict:
    """The verdict of several comparisons, all of which must hold."""
    if "outside" in places:
        return DISAGREES
    return agrees if places and all(place == "inside" for place in places) else UNJUDGED


def weakest(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of several judgements: a disagreement is never hidden, nor is what could not be judged."""
    present = set(verdicts)
    return next((verdict for verdict in _WEAKEST if verdict in present), UNJUDGED)
