"""The headline numbers of a recording: what `gpiorig report --json` prints."""

from __future__ import annotations

from collections import Counter

import numpy as np
from msgspec import UNSET, UnsetType

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.packets import accounting, delivery
from gpiorig.analysis.packets.accounting import Accounting
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.node_accounts import NodeAccount
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.statistics.summary import LISTED, Summary, summarize
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.experiments.limits import AssertionNumbers
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.results.quantities import QuantityNumbers

_NS_PER_MS, NS_PER_US = 1e6, 1e3
STATISTICS = {statistic.name: statistic.field for statistic in LISTED if statistic.name != "mean"}


class Outcome(Result, frozen=True, kw_only=True):
    """Packets of a node by what its log states of them and what the pins show."""

    logged: str
    seen: str
    packets: int


class DelayStatistics(Result, frozen=True, kw_only=True):
    """Statistics of a delay in ms; `p2p` is peak to peak."""

    __annotations__ = dict.fromkeys(STATISTICS, Number)


class StepNumbers(Result, frozen=True, kw_only=True):
    """A step of a route."""

    name: str
    node: str
    median_us: Number
    p2p_us: Number


class RouteNumbers(Result, frozen=True, kw_only=True):
    """A route: its packets, those that lack milestones (`partial`), the complete delay and its steps."""

    route: str
    packets: int
    lost: int
    partial: int
    delay_ms: DelayStatistics
    steps: tuple[StepNumbers, ...]


class ReorderingNumbers(Result, frozen=True, kw_only=True):
    """Packets of one origin that one node got; `ratio` is the reordered share (RFC 4737, 4.1)."""

    origin: str
    destination: str
    arrived: int
    reordered: int
    largest_extent: int
    ratio: Number


class PacketNumbers(Result, frozen=True, kw_only=True):
    """Packets with a send call by their status, and those without one."""

    sent: int
    without_a_call: int
    status: dict[str, int]


class Shares(Result, frozen=True, kw_only=True):
    """Shares of the steps of one kind in the mean, the variance with its interval, and the tail of a delay."""

    mean: Number
    variance: Number
    variance_low: Number
    variance_high: Number
    tail: Number


class ModelDoubt(Result, frozen=True, kw_only=True):
    """By how much the total delay may be shorter and longer on hardware than on a virtual bench (k = 2)."""

    low_us: Number
    high_us: Number


class Headline(Result, frozen=True, kw_only=True):
    """The packets of a recording.

    `run` names it among several. `nodes` has the counts of each node's log, and what the pins show of them. From
    `packets` to `notes` the fields are of recordings whose packets are followed over hops.
    """

    run: str | UnsetType = UNSET
    app: str
    events: int
    damaged: int
    nodes: dict[str, dict[str, int | list[Outcome]]]
    packets_sent: int
    packets_timelined: int
    lost: int
    routes: tuple[RouteNumbers, ...]
    reordering: tuple[ReorderingNumbers, ...]
    packets: PacketNumbers | UnsetType = UNSET
    retries: int | UnsetType = UNSET
    duplicates: int | UnsetType = UNSET
    read_again: dict[str, int] | UnsetType = UNSET
    read_without_acknowledgement: int | UnsetType = UNSET
    accounting: Accounting | UnsetType = UNSET
    notes: list[str] | UnsetType = UNSET
    recording: str
    seed: str | int | float | bool | None


class Numbers(Headline, frozen=True, kw_only=True):
    """A recording with its state, remarks, and what was asked for; `report` is the path of the page.

    `model_doubt` is by route, of those over virtual boards whose doubt is known.
    """

    shares: dict[str, dict[str, Shares]]
    model_doubt: dict[str, ModelDoubt]
    bench_remarks: tuple[str, ...]
    virtual: bool | None
    state: str | None
    remarks: tuple[str, ...]
    assertions: tuple[AssertionNumbers, ...] | UnsetType = UNSET
    quantities: tuple[QuantityNumbers, ...] | UnsetType = UNSET
    report: str | UnsetType = UNSET


def headline(analysis: Analysis, recording: Recording) -> Headline:
    """The packets of a recording: one layout for all; times of routes in ms, of steps in us."""
    accounts = {account.node: account for account in analysis.accounts}
    sent, timelined, lost = _packet_counts(analysis)
    hops = analysis.hops
    retried, twice, unheard = accounting.repetitions(hops) if hops is not None else (UNSET,) * 3
    return Headline(
        app=str(recording.info.parameters.get("app", "")),
        events=len(analysis.events),
        damaged=len(analysis.events.damaged),
        nodes={
            node: {
                "frames": analysis.events.frames(node) if node in analysis.events.node_names else 0,
                **log.done,
                "packet_lines": len(log.sequences),
                **(_account_numbers(accounts[node]) if node in accounts else {}),
            }
            for node, log in analysis.logs.items()
        },
        packets_sent=sent,
        packets_timelined=timelined,
        lost=lost,
        routes=tuple(_route_numbers(route, _summary(analysis, route)) for route in analysis.routes),
        reordering=tuple(map(ReorderingNumbers.of, analysis.reordering)),
        packets=_packet_numbers(hops) if hops is not None else UNSET,
        retries=retried,
        duplicates=twice,
        read_again=_read_again(hops) if hops is not None else UNSET,
        read_without_acknowledgement=unheard,
        accounting=accounting.account(hops) if hops is not None else UNSET,
        notes=accounting.notes(hops) if hops is not None else UNSET,
        recording=str(recording.folder),
        seed=recording.info.parameters.get("bench_seed"),
    )


def _packet_counts(analysis: Analysis) -> tuple[int, int, int]:
    """Packets sent, with timelines, and lost, of all routes; of round trips as the firmware counted them in a log."""
    account = analysis.account
    if account is not None:
        return account.total, account.arrived, sum(account.lost.values())
    lines, routes = analysis.timelines, analysis.routes
    timelined = sum(map(len, routes)) if lines is None else int(np.count_nonzero(lines.timelined))
    sent = sum(len(route) + route.lost + route.partial for route in routes)
    return sent, timelined, sum(route.lost for route in routes)


def _packet_numbers(hops: Hops) -> PacketNumbers:
    called = hops.packets.called
    status = Counter(hops.packets.status[called].tolist())
    return PacketNumbers(
        sent=int(np.count_nonzero(called)),
        without_a_call=int(np.count_nonzero(~called)),
        status={delivery.STATUS[key]: n for key, n in sorted(status.items())},
    )


def _read_again(hops: Hops) -> dict[str, int]:
    """Frames that a node had read before, by node."""
    visits = hops.visits
    return {name: int(visits.again[visits.nodes == node].sum()) for node, name in enumerate(hops.events.node_names)}


def _account_numbers(account: NodeAccount) -> dict[str, int | list[Outcome]]:
    outcomes = [Outcome(logged=logged, seen=seen, packets=n) for (logged, seen), n in sorted(account.outcomes.items())]
    return {"seen_sent": account.seen_sent, "seen_received": account.seen_received, "outcomes": outcomes}


def _summary(analysis: Analysis, route: Route) -> Summary:
    """Statistics of the complete delay; of round trips all that have one, also where a step is not known."""
    lines = analysis.timelines
    totals = route.totals if lines is None or route.name != ROUND_TRIP else lines.rtt[lines.timelined]
    return summarize(totals, samplerate_hz=route.steps.samplerate_hz, lost=route.lost)


def _route_numbers(route: Route, delay: Summary) -> RouteNumbers:
    rate = route.steps.samplerate_hz
    steps = [summarize(column, samplerate_hz=rate, lost=route.lost) for column in route.steps.columns()]
    return RouteNumbers(
        route=route.name,
        packets=len(route),
        lost=route.lost,
        partial=route.partial,
        delay_ms=DelayStatistics(**{name: getattr(delay, field) / _NS_PER_MS for name, field in STATISTICS.items()}),
        steps=tuple(
            StepNumbers(
                name=step.name,
                node=step.node,
                median_us=summary.median_ns / NS_PER_US,
                p2p_us=summary.peak_to_peak_ns / NS_PER_US,
            )
            for step, summary in zip(route.steps.steps, steps, strict=True)
        ),
    )
