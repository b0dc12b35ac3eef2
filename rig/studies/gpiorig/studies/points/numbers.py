"""Numbers of a study for `--json`: what its figures show at each combination of the axes."""

from __future__ import annotations

import math

from msgspec import UNSET, UnsetType

from gpiorig.rig.plain_json import Number, Result
from gpiorig.studies.pages import marks, statistics, values, verdicts
from gpiorig.studies.pages.judgements import DISAGREES, Judgement
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.verdicts import Expectation


class ValueNumbers(Result, frozen=True, kw_only=True):
    """The value of an expression at a combination, over the repeats; `troubles` has those that are not in it."""

    y: str
    coordinates: dict[str, bool | int | float | str]
    node: str
    troubles: tuple[tuple[int, str], ...]
    value: Number
    low: Number | UnsetType = UNSET
    high: Number | UnsetType = UNSET
    sd: Number | UnsetType = UNSET
    unit: str | UnsetType = UNSET
    repeats: int | UnsetType = UNSET
    n: tuple[int, int] | UnsetType = UNSET


class ExpectationNumbers(Result, frozen=True, kw_only=True):
    """A statement of the document at one combination: verdict, what would agree, the values here and what decides.

    `beside`: the combination is not of the document's own system. `because` and `decided_by` are there if it disagrees.
    """

    y: str
    at: str
    expected: str
    verdict: str
    beside: bool
    here: str
    agrees: str
    ratio: Number
    decides: str
    differs: str
    because: str | UnsetType = UNSET
    decided_by: str | UnsetType = UNSET


class StudyNumbers(Result, frozen=True, kw_only=True):
    """What the figures of a study show at each combination of the axes, and how that agrees with its document.

    `mark` is ● if all values of the figure are there, ◐ for a part of them, ○ for none; `verdicts` counts statements.
    """

    mark: str
    verdicts: dict[str, int]
    expectations: list[ExpectationNumbers]
    numbers: list[ValueNumbers]


def of_study(results: StudyResults) -> StudyNumbers:
    """The numbers of a study."""
    counted = verdicts.counts(verdicts.of_study(results))
    return StudyNumbers(
        mark=marks.state(results),
        verdicts={verdict: count for verdict, count in counted.items() if count},
        expectations=of_expectations(results),
        numbers=of(results),
    )


def of_expectations(results: StudyResults) -> list[ExpectationNumbers]:
    """A row for each judgement, in the order of the study file."""
    return [
        ExpectationNumbers(
            y=expectation.y,
            at=judgement.place,
            expected=expectation.expected,
            verdict=judgement.verdict,
            beside=is_beside,
            here=judgement.here,
            agrees=judgement.bound,
            ratio=None if math.isnan(judgement.ratio) else judgement.ratio,
            decides=judgement.why,
            differs=expectation.published.differs,
            **_reasons(expectation, judgement),
        )
        for expectation in verdicts.of_study(results)
        for is_beside, judgement in expectation.rows
    ]


def _reasons(expectation: Expectation, judgement: Judgement) -> dict[str, str]:
    published = expectation.published
    if judgement.verdict != DISAGREES:
        return {}
    return {"because": published.disagrees_because, "decided_by": published.decided_by}


def of(results: StudyResults) -> list[ValueNumbers]:
    """The value of each expression at each combination and node; null for one that is not defined."""
    expressions = dict.fromkeys(pair for show in results.shows for pair in values.expressions(show, results.quantities))
    return [
        ValueNumbers.of(
            cell.estimate,
            y=expression.text,
            coordinates=dict(cell.coordinates),
            node=cell.node,
            troubles=cell.troubles,
            value=cell.estimate.value if cell.estimate else None,
        )
        for expression, of_values in expressions
        if not of_values
        for group in statistics.combinations(results, lambda coordinates: True)
        for cell in statistics.estimate(expression, group)
    ]
