"""What is kept of a test: the numbers that were judged, for JUnit's XML; and what a person sees where one fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_gpiorig.judgement import Judgement, Outcome
from pytest_gpiorig.plugin import ORIGIN, UNSURE
from pytest_gpiorig.quantity import judged
from pytest_gpiorig.run import Run

Property = tuple[str, object]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Properties of a test, and sections of its report: title and lines."""

    properties: list[Property]
    sections: list[tuple[str, list[str]]]


def take(runs: Sequence[Run], *, failed: bool, keeps_pages: bool) -> Evidence:
    """The evidence of the test that has ended; pages are written where it failed, or all are kept."""
    properties: list[Property] = []
    sections: list[tuple[str, list[str]]] = []
    for statistic, judgement in judged.take():
        properties += _properties(judgement)
        if judgement.outcome is not Outcome.HOLDS:
            sections.append((judgement.text, list(statistic.quantity.evidence(judgement))))
    for run in runs:
        properties += [(ORIGIN, run.origin), ("gpiorig.recording", str(run.folder))]
        if failed or keeps_pages:
            properties.append(("gpiorig.page", str(run.page)))
            sections.append(("gpiorig", [run.origin, f"recording: {run.folder}", f"page: {run.page}"]))
    return Evidence(properties, sections)


def _properties(judgement: Judgement) -> list[Property]:
    """The value, its uncertainty and the sentence; of several values, of those that decide."""
    properties: list[Property] = []
    for value in judgement.decisive:
        unit = value.series.quantity.kind.unit.value
        name = judgement.text.partition(f" {judgement.relation} ")[0]
        whose = f" of {value.series.name}" if len(judgement.values) > 1 else ""
        properties.append((f"gpiorig.{name} [{unit}]{whose}", value.compared))
        if value.expanded:
            properties.append((f"gpiorig.uncertainty of {name} [{unit}]{whose}", value.expanded))
    properties.append(("gpiorig.judgement", judgement.sentence))
    if judgement.outcome is Outcome.HOLDS and not judgement.sure:
        properties.append((UNSURE, judgement.sentence))
    return properties
