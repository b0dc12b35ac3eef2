"""The causes of a route's jitter in a reader's words, each with the share of the variance that it explains."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import attribute
from gpiorig.analysis.attribution.covariates import PREEMPTED, QUEUED
from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.number_text import TIMES, count_text, number_text, time_text
from gpiorig.analysis.packets.path import DIRECTIONS, Kind
from gpiorig.analysis.packets.steps import Step
from gpiorig.analysis.report.conclusions import MIN_CAUSE, causes, period_ns, total_cause
from gpiorig.analysis.statistics.intervals import Interval

SPENT = {
    Kind.SOFTWARE: "in stack software",
    Kind.MAC: "in the MAC (queue, slot)",
    Kind.DRIVER: "in the radio's driver",
    Kind.RADIO_WAIT: "in radio wait",
    Kind.RETRANSMISSION: "waiting for a retransmission",
    Kind.AIR: "on the air",
    Kind.UNDIVIDED: "in radio wait or on the air",
    Kind.FRAGMENTS: "on the fragments before the last",
    Kind.INTERRUPT: "from the interrupt to the driver",
    Kind.APPLICATION: "in the application",
}
BACKOFF_NS = 320_000  # aUnitBackoffPeriod, 20 symbols of 16 µs at 2.4 GHz (IEEE 802.15.4-2006, tables 1 and 85)
MODES_GIVE_WAY = 0.5  # of the share of modes, that another finding needs to be named in their place
NEAR = 0.001  # of a period: clocks of analyzers and nodes are far nearer
_PLACES = SPENT | {Kind.MAC: "in the MAC"}
_HOLD_A_WAIT = {Kind.RADIO_WAIT, Kind.FRAGMENTS, Kind.UNDIVIDED}  # kinds of steps with a radio's wait in them
_DEPENDS = {PREEMPTED: "pre-emption of the processor", QUEUED: "queueing behind other messages"}
_OF_ONE_ROUTE = {"channel", attribute.KIND}  # findings that are one cause, whatever their numbers


@dataclass(frozen=True, slots=True)
class NamedCause:
    """A cause of the jitter.

    Parameters
    ----------
    words
        What it is, and where, without a verb.
    share
        Share of the variance of the total delay that it explains.
    kinds
        Kinds of the steps in which it is.
    rest_ns
        Peak to peak of the delays without what the cause adds to each packet; NaN where that is not known by packet.
    """

    words: str
    share: float
    kinds: frozenset[Kind]
    rest_ns: float


@dataclass(frozen=True, slots=True)
class _StepFinding:
    """A finding in a step, and the share of the total variance that it explains."""

    finding: Finding
    column: int
    step: Step
    share: float


def named_causes(evaluation: RouteEvaluation) -> list[NamedCause]:
    """The causes of a route's jitter, the largest first; equal ones of several steps are one."""
    overall = total_cause(evaluation)
    if overall is not None:
        words = _words([overall], f" of the {evaluation.numbers.noun} as a whole")
        return [NamedCause(words, overall.share, frozenset(), math.nan)]
    columns = {step.name: column for column, step in enumerate(evaluation.route.steps.steps)}
    groups: dict[tuple[object, ...], list[_StepFinding]] = {}
    for attribution, variance in causes(evaluation):
        column = columns[attribution.step]
        for finding in _apart(attribution.findings):
            member = _StepFinding(finding, column, evaluation.route.steps.steps[column], finding.share * variance)
            if member.share >= MIN_CAUSE:
                groups.setdefault(_key(member), []).append(member)
    named = [_named(evaluation, group) for group in groups.values()]
    return sorted(named, key=lambda cause: -cause.share)


def is_backoff(finding: Finding, step: Step) -> bool:
    """Whether levels are those of a random backoff by IEEE 802.15.4.

    Those of a step that the MAC reports as its backoff are, whatever its timer makes of the period; in a radio's wait,
    those that lie unit backoff periods apart.
    """
    near = abs(period_ns(finding) - BACKOFF_NS) < NEAR * BACKOFF_NS
    return finding.kind == "lattice" and (step.is_backoff or (step.kind in _HOLD_A_WAIT and near))


def _apart(findings: Sequence[Finding]) -> list[Finding]:
    """Findings of one step that explain different packets: those of the air, and the largest of the others.

    Others explain the same delays again, each in its way; values that delays gather at are the least of a cause.
    """
    largest: dict[str, Finding] = {}
    for finding in sorted(findings, key=lambda finding: -finding.share):
        largest.setdefault(finding.kind, finding)
    of_air = [finding for kind, finding in largest.items() if kind in attribute.OF_THE_AIR]
    left = 1 - sum(finding.share for finding in of_air)
    fitting = [finding for finding in largest.values() if finding not in of_air and finding.share <= left]
    causal = [finding for finding in fitting if finding.kind != "modes"]
    if causal and causal[0].share >= MODES_GIVE_WAY * fitting[0].share:
        fitting = causal
    return [*of_air, *fitting[:1]]


def _key(member: _StepFinding) -> tuple[object, ...]:
    """Equal for findings that are one cause."""
    finding, period = member.finding, time_text(period_ns(member.finding))
    if is_backoff(finding, member.step):
        return (finding.kind, finding.numbers.get("levels"))
    if finding.kind == "lattice":
        return (finding.kind, finding.numbers.get("levels"), period)
    if finding.kind == "beat":
        return (finding.kind, finding.numbers.get("activity") or period)
    return (finding.kind,) if finding.kind in _OF_ONE_ROUTE else (finding.kind, member.column)


def _named(evaluation: RouteEvaluation, group: Sequence[_StepFinding]) -> NamedCause:
    steps = [member.step for member in group]
    backoff = all(is_backoff(member.finding, member.step) for member in group)
    place = _place(evaluation, steps, named=backoff or group[0].finding.kind in _OF_ONE_ROUTE)
    findings = [member.finding for member in group]
    words = _backoff(findings, place) if backoff else _words(findings, place)
    kinds = frozenset(step.kind for step in steps)
    return NamedCause(words, sum(member.share for member in group), kinds, _rest_ns(evaluation, group))


def _place(evaluation: RouteEvaluation, steps: Sequence[Step], *, named: bool) -> str:
    """Where a cause is, with a space before it: the way alone of one whose name tells the kind of its steps."""
    ways = dict.fromkeys(step.way for step in evaluation.route.steps.steps if step.way and not step.turn_around)
    here = [step.way for step in steps]
    kinds = dict.fromkeys(_PLACES[step.kind] for step in steps)
    spent = "" if named else f" {' and '.join(kinds)}"
    if len(here) == 1:
        return spent if len(ways) == 1 else f"{spent} {'in the' if here[0] in DIRECTIONS else 'on'} {here[0]}"
    if sorted(here) == sorted(ways):
        return f"{spent} {'each way' if set(ways) == set(DIRECTIONS) else 'on each hop'}"
    return f"{spent} in each of {len(here)} steps"


def _backoff(findings: Sequence[Finding], place: str) -> str:
    """Backoffs with equal numbers of levels, and the mean of their periods, each of which is by its node's clock."""
    most = int(str(findings[0].numbers["levels"])) - 1
    period = sum(map(period_ns, findings)) / len(findings)
    return f"CSMA backoff, 0 to {most} {TIMES} {time_text(period)}{place}"


def _words(findings: Sequence[Finding], place: str) -> str:
    """What findings that are one cause are, for any kind."""
    finding, numbers = findings[0], findings[0].numbers
    if finding.kind == "lattice":
        levels = count_text(int(str(numbers["levels"])), "level")
        return f"{levels} {time_text(period_ns(finding))} apart{place}"
    if finding.kind == "beat":
        node, _, name = str(numbers.get("activity", "")).partition(": ")
        activity = f"{name} of {node}" if name else "something unseen"
        return f"timing against {activity}, every {time_text(period_ns(finding))},{place}"
    if finding.kind == "modes":
        return f"{count_text(int(str(numbers['modes'])), 'separate value')}{_range(numbers)}{place}"
    if finding.kind == "dependence":
        on = str(numbers["on"])
        return f"{_DEPENDS.get(on, f'a dependence on {on}')}{place}"
    if finding.kind == "trend":
        return f"{_trend(numbers.get('slope_ns_per_s'))} over the run{place}"
    if finding.kind == "change":
        return f"{count_text(int(str(numbers.get('changes', 1))), 'jump')} during the run{place}"
    if finding.kind == "channel":
        return f"{_channel(findings)}{place}"
    again, of = numbers.get("retransmitted_packets"), numbers.get("packets")
    count = ""
    if len(findings) == 1 and isinstance(again, int) and isinstance(of, int):
        count = f" of {number_text(again)} of {count_text(of, 'packet')}"
    return f"retransmissions{count}{place}"


def _range(numbers: Mapping[str, object]) -> str:
    """From the least of separate values to the largest; empty where they are not known."""
    places = [_value(number) for name, number in numbers.items() if name.startswith("place_")]
    return f", {time_text(min(places))} to {time_text(max(places))}," if places else ""


def _trend(slope: object) -> str:
    if not isinstance(slope, Interval):
        return "a trend"
    return f"a {'growth' if slope.value > 0 else 'decrease'} of {time_text(abs(slope.value))} a second"


def _channel(findings: Sequence[Finding]) -> str:
    """Other traffic, repeated frames, or both: what makes a hundredth of what the findings explain, or more."""
    sums = [sum(_value(finding.numbers.get(name)) for finding in findings) for name in ("busy_share", "retries_share")]
    most = sum(finding.share for finding in findings) * MIN_CAUSE
    parts = [words for words, size in zip(("other traffic", "repeated frames"), sums, strict=True) if size > most]
    return " and ".join(parts or ["other traffic or repeated frames"])


def _value(number: object) -> float:
    if isinstance(number, Interval):
        return number.value
    return float(number) if isinstance(number, (int, float)) else 0.0


def _rest_ns(evaluation: RouteEvaluation, group: Sequence[_StepFinding]) -> float:
    """Peak to peak of the total delays without what the cause adds; NaN where it is not known of each packet."""
    rest = evaluation.route.totals.astype(np.float64)
    for member in group:
        added = _added(evaluation, member)
        if added is None:
            return math.nan
        rest -= added
    return float(np.ptp(rest)) * evaluation.numbers.period_ns


def _added(evaluation: RouteEvaluation, member: _StepFinding) -> NDArray[np.float64] | None:
    """float64[k], samples that a cause adds to each packet in a step, if that is known."""
    delays = evaluation.route.steps.samples[:, member.column].astype(np.float64)
    if member.step.kind is Kind.RETRANSMISSION:
        return delays
    if member.finding.kind == attribute.KIND:
        wait = next((wait for wait in evaluation.parts if wait.column == member.column), None)
        return None if wait is None else wait.retransmission.astype(np.float64)
    numbers = member.finding.numbers
    if member.finding.kind != "lattice" or not isinstance(numbers.get("phase_ns"), Interval):
        return None
    of_lattice = period_ns(member.finding), _value(numbers["phase_ns"])
    period, lowest = (ns / evaluation.numbers.period_ns for ns in of_lattice)
    levels: NDArray[np.float64] = np.clip(np.rint((delays - lowest) / period), 0, int(str(numbers["levels"])) - 1)
    return levels * period
