"""Statistics of a route, and of the parts of round trips, computed once: tables, figures and sentences read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays import calibration
from gpiorig.analysis.delays.budget import Budget
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S, share_text, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.packets.steps import Step
from gpiorig.analysis.packets.timelines import LOST, Timelines
from gpiorig.analysis.statistics import tally
from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES, Summary, ipdv, of_ordered, summarize, total_of
from gpiorig.analysis.statistics.value_series import ValueSeries

_PARTS = {
    "request, app to app": ("request.app.tx", "request.app.rx"),
    "turn-around": ("request.app.rx", "reply.app.tx"),
    "reply, app to app": ("reply.app.tx", "reply.app.rx"),
}


@dataclass(frozen=True, slots=True, eq=False)
class RouteNumbers:
    """Statistics of a route and of its steps.

    Parameters
    ----------
    route
        The packets.
    total
        Of the total delay.
    steps
        One per step.
    means
        float64[s], share of each step in the mean of the total delay; NaN without a packet.
    variances
        float64[s], share of each step in its variance, those of the budget; NaN where the delay does not vary above the
        resolution.
    budget
        Where the shares are from.
    """

    route: Route
    total: Summary
    steps: tuple[Summary, ...]
    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    budget: Budget

    @property
    def noun(self) -> str:
        """Name of the total delay."""
        return "round-trip time" if self.route.name == ROUND_TRIP else "delay"

    @property
    def period_ns(self) -> float:
        """One sample."""
        return float(NS_PER_S / self.route.steps.samplerate_hz)

    @property
    def resolution_text(self) -> str:
        """The variation of a delay that the analyzer does not resolve."""
        return time_text(RESOLUTION_SAMPLES * self.period_ns)

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of steps that occur."""
        return list(self.by_kind("time"))

    def by_kind(self, shares: Literal["time", "variance", "tail"]) -> dict[Kind, float]:
        """The share of each kind in the mean of the total delay, in its variance, or in its tail."""
        return self.budget.kinds(shares)


def numbers(route: Route, budget: Budget, total: ValueSeries | None = None) -> RouteNumbers:
    """Summaries of a route and of its steps, with the shares of its budget; `total` as in `budget.budget`."""
    steps = route.steps
    rate = steps.samplerate_hz
    by_size = tally.ordered(route.totals) if total is None else total.ordered
    of_steps = [
        (of_ordered(column, samplerate_hz=rate, lost=route.lost), total_of(column))
        for column in tally.of_columns(steps.samples)
    ]
    sums = np.array([total_of_step for _, total_of_step in of_steps], dtype=np.int64)
    total_sum = float(sums.sum())
    return RouteNumbers(
        route=route,
        total=of_ordered(by_size, samplerate_hz=rate, lost=route.lost),
        steps=tuple(summary for summary, _ in of_steps),
        means=sums / total_sum if total_sum else np.full(len(steps.steps), np.nan),
        variances=np.array([share.value for share in budget.variance]),
        budget=budget,
    )


def largest_kind(sums: dict[Kind, float]) -> tuple[Kind, float]:
    """The kind with the largest sum."""
    kind = max(sums, key=lambda kind: sums[kind])
    return kind, sums[kind]


def where_conclusion(numbers: RouteNumbers) -> str:
    """The kind of steps with most of the time, and that with most of the jitter: a sentence without its full stop."""
    if not numbers.total.n or not np.isfinite(numbers.means).all():
        return "No packet has all its steps"
    most, share = largest_kind(numbers.by_kind("time"))
    text = f"Most of the time ({share_text(share)}): {most.text}"
    if numbers.total.n == 1:
        return f"{text}; one packet has no jitter"
    if not np.isfinite(numbers.variances).all():
        return f"{text}; no jitter above the resolution ({numbers.resolution_text})"
    worst, share = largest_kind(numbers.by_kind("variance"))
    return f"{text}; most of the variance ({share_text(share)}): {worst.text}"


def steps_conclusion(numbers: RouteNumbers) -> str:
    """The steps that vary most: a sentence without its full stop."""
    steps = numbers.route.steps
    if not numbers.total.n or not steps.steps:
        return "No packet has all its steps"
    ranges = np.array([summary.peak_to_peak_ns for summary in numbers.steps])
    if not (ranges > RESOLUTION_SAMPLES * numbers.period_ns * (1 + 1e-9)).any():
        return f"No step varies by more than the resolution ({numbers.resolution_text})"
    order = np.argsort(-ranges, kind="stable")
    names = [f"{short_name(steps.steps[i])} ({time_text(ranges[i])})" for i in order[:2]]
    if len(order) < 3:
        return f"Widest ranges: {' and '.join(names)}"
    return f"Widest ranges: {' and '.join(names)}; every other step stays within {time_text(float(ranges[order[2]]))}"


def short_name(step: Step) -> str:
    """Name of a step without its explanation: ``request radio wait``."""
    explained = step.kind in {Kind.RADIO_WAIT, Kind.AIR}
    short = step.short.partition(": ")[0] if explained else step.short
    return f"{step.way} {short}".lstrip()


def round_trips(lines: Timelines, events: Events) -> dict[str, Summary]:
    """Summaries of round trip, directions, turn-around, IPDV and calibration bursts, by name.

    Those of the round trip count every packet that made one, also where a milestone in between is unknown.

    Parameters
    ----------
    lines
        Milestones of every packet.
    events
        Of the same recording, for the calibration bursts.
    """
    rate = lines.samplerate_hz
    lost = int(np.count_nonzero(lines.status == LOST))
    rows = {ROUND_TRIP: summarize(lines.rtt[lines.timelined], samplerate_hz=rate, lost=lost)}
    names = {milestone.name for milestone in lines.milestones}
    usable = lines.timelined | (lines.status == LOST)
    for name, ends in _PARTS.items():
        if names.issuperset(ends):
            start, end = (lines.column(milestone)[usable] for milestone in ends)
            complete = (start >= 0) & (end >= 0)
            missing = int(np.count_nonzero((start >= 0) & (end < 0)))
            rows[name] = summarize((end - start)[complete], samplerate_hz=rate, lost=missing)
    rows["round trip minus the one before (IPDV)"] = summarize(ipdv(lines.rtt), samplerate_hz=rate)
    for node in events.node_names:
        cost = calibration.probe_cost(events, node=node)
        if len(cost):
            rows[f"one event with an id, {node} (calibration)"] = summarize(cost, samplerate_hz=rate)
    return rows
