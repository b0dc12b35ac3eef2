"""Cost of the probes in every step of a packet, and its uncertainty.

Every milestone of a packet comes later than without probes, by its shift: what the events before it took. The cost of a
step is the difference of the shifts of its ends, so the costs of the steps add up to that of the total.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays import calibration
from gpiorig.analysis.delays.cost_walk import Floats, Walk
from gpiorig.analysis.delays.instruments import Instruments, seen_at
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.ordered_pool import in_order
from gpiorig.analysis.packets.path import Milestone
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.statistics.medians import median, of_counted
from gpiorig.capture import mapped

Pair = tuple[int, int]  # numbers of events with an id and of those without
_TOGETHER = 1 << 13  # packets whose numbers are in the caches of a processor

# An event on the way of a packet against one of the burst: true cost over events in the turn-around of
# docs/guide/probe-effect.md is 0.99 of the burst's on the M3, 1.04 (M3, threads), 1.12 (L476), 0.91 (TelosB): the
# largest.
_IN_PLACE = 0.12
_IN_PLACE_SOURCE = (
    "an event on the way costs up to 12 % more or less than one of the burst (docs/guide/probe-effect.md)"
)

# Moved code makes a step faster or slower, by 0.5 us on the M3, where an event costs 3.5 us (same page).
_PLACE = 0.5 / 3.5
_PLACE_SOURCE = "moved code: a seventh of an event in each step (docs/guide/probe-effect.md)"

_WITHOUT_ID_SOURCE = "bits of its frame, shortest symbol (docs/reference/line-code.md)"
_HALVES_SOURCE = "between none and all of them delay the packet"
_LEAD_SOURCE = "between the call and the shortest frame (docs/reference/line-code.md)"


@dataclass(frozen=True, slots=True, eq=False)
class CostPart:
    """One source of uncertainty of the costs.

    Parameters
    ----------
    name, evaluation, source
        As of `gpiorig.analysis.delays.uncertainty.Component`.
    standard_ns
        float64[s + 1], of each step, and last of the total.
    """

    name: str
    evaluation: Literal["A", "B"]
    source: str
    standard_ns: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ProbeCosts:
    """What the probes cost every step of a route.

    Parameters
    ----------
    events
        int64[s + 1], events that the node sent within each step, and last in the total: medians over the packets.
    cost_ns
        float64[s + 1], what they add to it: medians. Negative where a wait swallowed what was spent before it.
    costs_ns
        float32[k, s], the same of every packet; that of the total is the sum over the steps.
    parts
        How well these are known.
    """

    events: NDArray[np.int64]
    cost_ns: Floats
    costs_ns: NDArray[np.float32]
    parts: tuple[CostPart, ...]


@dataclass(frozen=True, slots=True)
class _Medians:
    """Over the packets, of one step: events, those that delay it with and without id, their cost, whether it waited."""

    events: float
    with_id: float
    without_id: float
    cost_ns: float
    waited: bool


def for_route(events: Events, route: Route, instruments: Instruments) -> ProbeCosts | None:
    """Cost of the probes in every step of the packets of a route; None if a node sent no calibration burst.

    Counted are the events of the node that a step is spent on, from the step's start on and before its end, packet by
    packet; what other nodes send meanwhile costs it nothing. Where the processor waits for the radio, the events before
    are not on the way of the packet: docs/guide/uncertainty.md.
    """
    steps = route.steps.steps
    nodes = {node for pair in seen_at(steps) for node in pair}
    if not steps or not nodes <= set(events.node_names):
        return None
    prices = {node: calibration.price(events, node=node, known=instruments.node(node)) for node in sorted(nodes)}
    known = {node: price for node, price in prices.items() if price is not None}
    if len(known) < len(nodes):
        return None
    walk = Walk(events, steps, instruments, known)
    numbers = _Numbers(walk, route)
    parts = (slice(first, first + _TOGETHER) for first in range(0, len(route), _TOGETHER))
    for counts in in_order(numbers.of_packets, parts):
        numbers.add(counts)
        mapped.relieve()
    medians = [numbers.medians(column) for column in range(len(steps))]
    return ProbeCosts(
        events=np.array([*(median.events for median in medians), numbers.all_events()]).astype(np.int64),
        cost_ns=np.array([*map(numbers.step_ns, range(len(steps))), median(numbers.totals_ns)]),
        costs_ns=numbers.costs_ns,
        parts=_parts(walk, medians),
    )


class _Numbers:
    """Costs of every packet, and how often each number of events was sent in a step."""

    def __init__(self, walk: Walk, route: Route) -> None:
        self._walk, self._route = walk, route
        columns = range(len(walk.steps))
        self._lead_ns = [[walk.lead(*end) for end in walk.ends(column)] for column in columns]
        self.costs_ns = mapped.zeros(route.steps.samples.shape, np.float32)
        self.totals_ns = mapped.zeros(len(route), np.float64)
        # float64[3, k]: events that delay a packet with and without id, and their cost, where a wait swallows some
        self._waited = {wait.column: mapped.zeros((3, len(route)), np.float64) for wait in walk.waits}
        self._counts: list[Counter[Pair]] = [Counter() for _ in columns]
        self._all: Counter[Pair] = Counter()
        self._swallowed = [0] * len(columns)

    def of_packets(self, part: slice) -> tuple[list[Counter[Pair]], list[int]]:
        """Numbers of events of some packets by step, last of all steps; and how many packets met a wait in each."""
        costs = self._walk.costs(self._route, part)
        for column, (step, (before, after)) in enumerate(zip(costs, self._lead_ns, strict=True)):
            self.costs_ns[part, column] = step.cost_ns + after - before
            if column in self._waited:
                self._waited[column][:, part] = [*step.delaying, step.cost_ns]
        self.totals_ns[part] = self.costs_ns[part].sum(axis=1, dtype=np.float64)
        sent = [step.sent for step in costs]
        return [*map(_counted, sent), _counted(sum(sent[1:], sent[0]))], [step.swallowed for step in costs]

    def add(self, counts: tuple[list[Counter[Pair]], list[int]]) -> None:
        """Count the events of some packets."""
        for total, of_part in zip([*self._counts, self._all], counts[0], strict=True):
            total.update(of_part)
        self._swallowed = [sum(pair) for pair in zip(self._swallowed, counts[1], strict=True)]

    def all_events(self) -> float:
        """Events in all steps, median over the packets."""
        sent, packets = _pairs(self._all)
        return of_counted(sent.sum(axis=0), packets)

    def medians(self, column: int) -> _Medians:
        """Those of a step."""
        sent, packets = _pairs(self._counts[column])
        if column in self._waited:
            with_id, without_id, cost_ns = map(median, self._waited[column])
        else:
            delaying = sent * self._walk.share(column)
            numbers = (*delaying, self._walk.cost(column, delaying))
            with_id, without_id, cost_ns = (of_counted(values, packets) for values in numbers)
        waited = 2 * self._swallowed[column] > len(self._route)
        return _Medians(of_counted(sent.sum(axis=0), packets), with_id, without_id, cost_ns, waited)

    def step_ns(self, column: int) -> float:
        """What the probes add to a step, median over the packets."""
        if column in self._waited:
            return median(self.costs_ns[:, column])
        sent, packets = _pairs(self._counts[column])
        before, after = self._lead_ns[column]
        cost_ns = self._walk.cost(column, sent * self._walk.share(column)) + after - before
        return of_counted(cost_ns.astype(np.float32), packets)


def _counted(sent: Floats) -> Counter[Pair]:
    """How many packets have each pair of numbers of events, of float64[2, k]."""
    with_id, without_id = sent.astype(np.int64)
    width = int(without_id.max(initial=0)) + 1
    pairs, packets = np.unique(with_id * width + without_id, return_counts=True)
    counts = zip(pairs.tolist(), packets.tolist(), strict=True)
    return Counter({divmod(pair, width): count for pair, count in counts})


def _pairs(counts: Counter[Pair]) -> tuple[Floats, NDArray[np.int64]]:
    """float64[2, u], the pairs; int64[u], how many packets have each."""
    pairs = np.array([*counts], dtype=np.float64).reshape(-1, 2).T
    return pairs, np.array([*counts.values()], dtype=np.int64)


def _parts(walk: Walk, medians: list[_Medians]) -> tuple[CostPart, ...]:
    """Standard uncertainty of the costs by source, of each step and of the total."""
    columns = range(len(medians))
    prices = [walk.prices[node] for node in walk.owners]
    one = np.array([price.with_id for price in prices])
    burst = np.array([median.with_id * price.with_id_standard for median, price in zip(medians, prices, strict=True)])
    width = np.array(
        [median.without_id * price.without_id_width for median, price in zip(medians, prices, strict=True)]
    )
    cost = np.array([median.cost_ns for median in medians])
    some = np.array([median.events > 0 for median in medians])
    halves = np.array([median.events * (walk.share(i) == 0.5) for i, median in enumerate(medians)]) / 2
    polls = np.array(
        [median.waited * walk.instruments.node(walk.owners[i]).poll_ns for i, median in enumerate(medians)]
    )
    leads = [walk.ends(i) for i in columns]
    leads.append([leads[0][0], leads[-1][1]])
    contributions: tuple[tuple[str, Literal["A", "B"], str, Floats], ...] = (
        ("event in the burst", "A", "spread of the calibration burst", _shared(walk, burst)),
        ("event without id", "B", _WITHOUT_ID_SOURCE, _shared(walk, width / math.sqrt(3))),
        ("event on the way", "B", _IN_PLACE_SOURCE, _shared(walk, cost * _IN_PLACE / math.sqrt(3))),
        ("place of code", "B", _PLACE_SOURCE, _apart(some * one * _PLACE / math.sqrt(3))),
        ("events during a wait", "B", _HALVES_SOURCE, _apart(halves * one / math.sqrt(3))),
        ("end of a wait", "B", "the wait ends with the next poll (board file)", _apart(polls / math.sqrt(6))),
        ("instant within an event", "B", _LEAD_SOURCE, np.array([_lead_standard(walk, *ends) for ends in leads])),
    )
    return tuple(CostPart(*contribution) for contribution in contributions if contribution[-1].any())


def _shared(walk: Walk, values: Floats) -> Floats:
    """One column more: what the steps of a node share adds up in the total, nodes are independent."""
    owners = np.array(walk.owners)
    return np.append(np.abs(values), math.hypot(*(values[owners == node].sum() for node in walk.prices)))


def _apart(values: Floats) -> Floats:
    """One column more: every step alone."""
    return np.append(values, math.sqrt(float(np.square(values).sum())))


def _lead_standard(walk: Walk, start: tuple[Milestone, str], end: tuple[Milestone, str]) -> float:
    """Of the leads of both ends; those of one node's events cancel."""
    leads = [walk.lead(*bound) for bound in (start, end)]
    return 0.0 if start[1] == end[1] and leads[0] == leads[1] else math.hypot(*leads) / math.sqrt(3)
