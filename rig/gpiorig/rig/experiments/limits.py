"""Limits that an experiment sets: stored in the recording for `gpiorig run`, `report` and `compare`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType, field

from gpiorig.analysis.statistics.order_statistics import CONFIDENCE
from gpiorig.rig.plain_json import Number, Result

if TYPE_CHECKING:
    from gpiorig.analysis.compare.assertions import Verdict
    from gpiorig.analysis.compare.delays import Delays
    from gpiorig.analysis.quantities.series import Recorded
    from gpiorig.analysis.statistics.intervals import Interval
    from gpiorig.capture.recording.recording import Recording
    from gpiorig.rig.experiments.experiment import Experiment

ASSERT, THRESHOLDS, QUANTITIES = "assert", "thresholds", "quantities"  # parameters of a recording
_BETWEEN = "; "


class IntervalNumbers(Result, frozen=True, kw_only=True):
    """An interval with its value, in ns or without a unit."""

    value_ns: Number | UnsetType = UNSET
    low_ns: Number | UnsetType = UNSET
    high_ns: Number | UnsetType = UNSET
    value: Number | UnsetType = UNSET
    low: Number | UnsetType = UNSET
    high: Number | UnsetType = UNSET
    confidence: Number
    method: str
    note: str


class AssertionNumbers(Result, frozen=True, kw_only=True):
    """A verdict on an assertion; it is `sure` where the interval does not hold the limit."""

    asserted: str = field(name="assert")
    holds: bool
    sure: bool
    intervals: dict[str, IntervalNumbers] = field(name="found")
    sentence: str


def parameters(experiment: Experiment) -> dict[str, str]:
    """The limits and quantities of an experiment as parameters of its recording; those it has."""
    given = {ASSERT: experiment.assertions, THRESHOLDS: experiment.thresholds, QUANTITIES: experiment.quantities}
    return {key: _BETWEEN.join(texts) for key, texts in given.items() if texts}


def recorded(recording: Recording, key: str) -> tuple[str, ...]:
    """The limits, or other texts, under one of the keys that a recording carries."""
    text = str(recording.info.parameters.get(key, ""))
    return tuple(limit.strip() for limit in text.split(_BETWEEN.strip()) if limit.strip())


def verdicts(
    recording: Recording, delays: Delays, asserted: Sequence[str] = (), measured: Recorded | None = None
) -> tuple[Verdict, ...]:
    """On the assertions of the experiment, then on further ones; each once. `measured` is what quantities are of."""
    from gpiorig.analysis.compare import assertions

    return assertions.evaluate_all(dict.fromkeys([*recorded(recording, ASSERT), *asserted]), delays, measured)


def numbers(verdicts: Sequence[Verdict]) -> tuple[AssertionNumbers, ...] | UnsetType:
    """Verdicts for `--json`; omitted without assertions."""
    return (
        tuple(
            AssertionNumbers(
                asserted=verdict.assertion.text,
                holds=verdict.holds,
                sure=verdict.sure,
                intervals={
                    name: interval_numbers(value, share=verdict.assertion.unit.value != "ns")
                    for name, value in verdict.intervals.items()
                },
                sentence=verdict.sentence,
            )
            for verdict in verdicts
        )
        or UNSET
    )


def interval_numbers(interval: Interval, *, share: bool = False) -> IntervalNumbers:
    """An interval for `--json`: in ns unless it is of a share."""
    unit = "" if share else "_ns"
    ends = {f"value{unit}": interval.value, f"low{unit}": interval.low, f"high{unit}": interval.high}
    return IntervalNumbers(**ends, confidence=CONFIDENCE, method=interval.method, note=interval.note)


def check(asserted: Sequence[str]) -> None:
    """Raise `QuantityError` if an assertion cannot be parsed, before the work starts."""
    from gpiorig.analysis.compare.limits import assertion

    for text in asserted:
        assertion(text)
