"""Findings: the result of attribution for a step, which may be none."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

import pyarrow as pa

from gpiorig.analysis.columns import NUMBER, TEXT, Schema, of_rows
from gpiorig.analysis.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class Finding:
    """One structure in the delays of one step.

    Parameters
    ----------
    kind
        ``retransmission``, ``channel``, ``lattice``, ``beat``, ``modes``, ``dependence``, ``trend`` or ``change``.
    sentence
        The finding as text, with its evidence and its share.
    p_value
        Probability of such evidence without the structure, for one test; the level of `Attribution` is for all. 0 for
        what the packets show without a test.
    share
        Share of the variance of the step that it explains, 0 to 1.
    numbers
        Estimates by name with unit, such as ``period_ns``, ``levels``.
    """

    kind: str
    sentence: str
    p_value: float
    share: float
    numbers: Mapping[str, Interval | float | int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attribution:
    """All findings about one step.

    Parameters
    ----------
    step
        Its name; ``total`` for the total delay.
    findings
        The largest share first; empty without a finding.
    tests
        Number of tests on this step.
    level
        Probability of any finding in a step without structure, over all its tests.
    sentence
        The conclusion in one sentence, also without a finding, or where none is possible (a step that does not vary).
    """

    step: str
    findings: tuple[Finding, ...]
    tests: int
    level: float
    sentence: str


def as_table(attributions: Sequence[Attribution]) -> pa.Table:
    """A row per finding, one without kind per step without any; `numbers` is JSON, an interval [value, low, high]."""
    rows = [
        SimpleNamespace(attribution=attribution, finding=finding)
        for attribution in attributions
        for finding in attribution.findings or (None,)
    ]
    return of_rows(rows, _SCHEMA)


_SCHEMA: Schema = {
    "step": (TEXT, "attribution.step"),
    "kind": (TEXT, "finding.kind"),
    "sentence": (TEXT, lambda row: (row.finding or row.attribution).sentence),
    "p_value": (NUMBER, "finding.p_value"),
    "variance_share": (NUMBER, "finding.share"),
    "tests": (pa.int32(), "attribution.tests"),
    "level": (NUMBER, "attribution.level"),
    "numbers": (TEXT, lambda row: row.finding and _json(row.finding.numbers)),
}


def _json(numbers: Mapping[str, Interval | float | int | str]) -> str:
    """JSON has no NaN: undefined numbers are null."""
    plain = {
        name: [_number(number) for number in (value.value, value.low, value.high)]
        if isinstance(value, Interval)
        else _number(value)
        for name, value in numbers.items()
    }
    return json.dumps(plain, ensure_ascii=False)


def _number(value: float | int | str) -> float | int | str | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value
