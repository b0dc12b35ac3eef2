"""The plan of a bench: the analyzer that it takes, and those that would do it as well, or would not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpiorig.rig.errors import BenchError
from gpiorig.rig.planning import candidates, models
from gpiorig.rig.planning.candidates import Candidate
from gpiorig.rig.planning.request import Request


@dataclass(frozen=True, slots=True)
class Plan:
    """What a request leads to.

    Attributes
    ----------
    request
        What was asked for.
    candidates
        All models of analyzers, in the order in which they are proposed.
    choice
        The one that is proposed, or that was named; None where none does it.
    """

    request: Request
    candidates: tuple[Candidate, ...]
    choice: Candidate | None


def of(request: Request, *, analyzer: str | None = None) -> Plan:
    """The plan of a request, with the model of that name, or with the first that needs the fewest analyzers.

    Raises
    ------
    BenchError
        There is no such model.
    """
    choices = models.all_models()
    names = [model.name for model in choices]
    if analyzer is not None and analyzer not in names:
        raise BenchError(f"--analyzer {analyzer}: no such analyzer; those with a description: {', '.join(names)}.")
    evaluated = tuple(candidates.of(request, model) for model in choices)
    if analyzer is not None:
        chosen = evaluated[names.index(analyzer)]
        return Plan(request, evaluated, chosen if chosen.bench else None)
    return Plan(request, evaluated, _fewest(evaluated))


def _fewest(evaluated: Sequence[Candidate]) -> Candidate | None:
    able = [candidate for candidate in evaluated if candidate.bench is not None]
    return min(able, key=lambda candidate: len(candidate.bench.analyzers) if candidate.bench else 0, default=None)
