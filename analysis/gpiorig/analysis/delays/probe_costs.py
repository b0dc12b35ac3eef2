"""Cost of the probes in every step of a packet, and its uncertainty.

Every milestone of a packet comes later than without probes, by its shift: what the events before it took. The cost of a
step is the difference of the shifts of its ends, so the costs of the steps add up to that of the total.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays import calibration
from gpiorig.analysis.delays.calibration import LAST_BUS_CODE, Price
from gpiorig.analysis.delays.instruments import Instruments, seen_at
from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.ids import code_set
from gpiorig.analysis.events.index import position_type
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.path import Kind, Milestone
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step
from gpiorig.capture import mapped

Floats = NDArray[np.float64]

# The steps that a processor spends; in the others the radio does, whatever events the processor sends meanwhile.
_BY_PROCESSOR = (Kind.SOFTWARE, Kind.MAC, Kind.DRIVER, Kind.INTERRUPT, Kind.APPLICATION)

# A node that sends these waits for its slot.
_IS_SLOT = code_set(code for code, event in BY_CODE.items() if event.layer == "slot")

# Where a reception begins to keep the radio busy, and where a driver waits until it is not.
_RECEIVED, _WAITS = "tap.irq.enter", "driver.prepare.enter"

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


@dataclass(slots=True)
class _Busy:
    """A radio that sends its acknowledgement until `ready`, and the events of its node since."""

    node: str
    ready: NDArray[np.int64]
    spent: Floats


class _Sent:
    """Events that a node sent on its bus: their samples, and the cumulative number of those with an id."""

    def __init__(self, events: Events, node: str) -> None:
        self.node = node
        size = sum(len(on_bus) for _, on_bus in _on_bus(events, node))
        self.samples = mapped.zeros(size, np.int64)
        self.with_id = mapped.zeros(size + 1, position_type(len(events)))
        at = 0
        for part, on_bus in _on_bus(events, node):
            here, at = slice(at, at + len(on_bus)), at + len(on_bus)
            self.samples[here] = events.samples[part][on_bus]
            self.with_id[here.start + 1 : at + 1] = self.with_id[here.start] + np.cumsum(events.ids[part][on_bus] >= 0)


def _on_bus(events: Events, node: str) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Slices of the events, and the places in each slice of the events that a node sent on its bus."""
    for part in slices(len(events)):
        of_node = events.nodes[part] == events.node(node)
        yield part, np.flatnonzero(of_node & (events.codes[part] <= LAST_BUS_CODE))


def _has_slots(events: Events, node: int) -> bool:
    return any((_IS_SLOT[events.codes[part]] & (events.nodes[part] == node)).any() for part in slices(len(events)))


class _Walk:
    """A route, the nodes' prices, and the events that the node of the step in hand sent."""

    def __init__(self, events: Events, steps: tuple[Step, ...], instruments: Instruments, prices: dict[str, Price]):
        self._events, self.steps, self.instruments, self.prices = events, steps, instruments, prices
        self.seen = seen_at(steps)
        self.owners = [here for here, _ in self.seen]
        self._sent: _Sent | None = None
        self._slotted = {node for node in prices if _has_slots(events, events.node(node))}
        self._period_ns = float(NS_PER_S / events.samplerate_hz)
        self._busy: _Busy | None = None
        self._last: tuple[str, NDArray[np.int64], Floats] = ("", np.empty(0, np.int64), np.empty((2, 0)))

    def take(self, column: int, start: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[Floats, Floats, bool]:
        """Take one step after the other, in the order of the path.

        Returns
        -------
        sent, delaying
            float64[2, k], events with and without id within the step, and how many of them delay the packet; less what
            a wait swallows.
        waited
            Whether most packets met such a wait.
        """
        node, event = self.owners[column], self.steps[column].start.event
        share = self.share(column)
        sent_before = self.before(column, start)
        sent_until = self.before(column, end)
        sent = (sent_until - sent_before) * (share > 0)
        delaying = sent * share
        known = self.instruments.node(node)
        if event == _RECEIVED and known.busy_ns:
            ready = start + round(known.busy_ns / self._period_ns)
            self._busy = _Busy(node, ready, np.zeros_like(delaying))
        if self._busy is None or self._busy.node != node:
            return sent, delaying, False
        if event != _WAITS:
            self._busy.spent += delaying
            return sent, delaying, False
        busy, self._busy = self._busy, None
        after_ns = np.array([start - busy.ready, end - busy.ready], dtype=np.float64) * self._period_ns
        after = sent_until - self.before(column, busy.ready)
        waits, swallowed = _wait(self.cost(column, busy.spent), after_ns)
        often = 2 * int(np.count_nonzero(swallowed)) > len(swallowed)
        return sent, np.where(waits, after, delaying) - swallowed * busy.spent, often

    def before(self, column: int, at: NDArray[np.int64]) -> Floats:
        """float64[2, k], events with and without id that a step's node has sent before these instants."""
        node = self.owners[column]
        if self._last[0] != node or self._last[1] is not at:  # the end of a step is the start of the next
            if self._sent is None or self._sent.node != node:
                self._sent = None  # before the next one is made, for memory's sake
                self._sent = _Sent(self._events, node)
            places = np.searchsorted(self._sent.samples, at)
            with_id = self._sent.with_id[places]
            self._last = (node, at, np.array([with_id, places - with_id], dtype=np.float64))
        return self._last[2]

    def cost(self, column: int, counts: Floats) -> Floats:
        """float64[k], for these numbers of events with and without id."""
        price = self.prices[self.owners[column]]
        cost: Floats = counts[0] * price.with_id + counts[1] * price.without_id
        return cost

    def ends(self, column: int) -> list[tuple[Milestone, str]]:
        """Milestones of a step, and where they are seen."""
        step, (here, there) = self.steps[column], self.seen[column]
        return [(step.start, here), (step.end, there)]

    def lead(self, milestone: Milestone, node: str) -> float:
        """How long before its instant a milestone was reached; a line shows it at once, the bus does not."""
        return self.prices[node].lead_width if self.instruments.on_bus(milestone, node) else 0.0

    def share(self, column: int) -> float:
        """How many of the events in a step are taken to delay the packet.

        Of earlier fragments, of what a node does before its slot, and of a wait that is the driver's, not the radio's,
        unknown: the processor may be what is waited for, or have time to spare. Half of the events, more or less
        the other half.
        """
        step, node = self.steps[column], self.owners[column]
        kind, own = step.kind, step.is_backoff or self.instruments.node(node).waits_in_software
        before_slot = node in self._slotted and not step.start.received and kind in _BY_PROCESSOR
        if before_slot or kind is Kind.FRAGMENTS or (own and kind in (Kind.RADIO_WAIT, Kind.UNDIVIDED)):
            return 0.5
        return float(kind in _BY_PROCESSOR)


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
    walk = _Walk(events, steps, instruments, known)
    costs_ns = mapped.zeros(route.steps.samples.shape, np.float32)
    all_events, medians = np.zeros(len(route)), []
    end = route.starts
    for column in range(len(steps)):
        start, end = end, end + route.steps.column(column)
        sent, delaying, waited = walk.take(column, start, end)
        cost_ns = walk.cost(column, delaying)
        before, after = (walk.lead(*end) for end in walk.ends(column))
        costs_ns[:, column] = cost_ns + after - before
        all_events += sent.sum(axis=0)
        with_id, without_id = (_median(event) for event in delaying)
        medians.append(_Medians(_median(sent.sum(axis=0)), with_id, without_id, _median(cost_ns), waited))
    totals_ns = costs_ns.sum(axis=1, dtype=np.float64)
    return ProbeCosts(
        events=np.array([*(median.events for median in medians), _median(all_events)]).astype(np.int64),
        cost_ns=np.array([*map(_median, costs_ns.T), _median(totals_ns)]),
        costs_ns=costs_ns,
        parts=_parts(walk, medians),
    )


def _wait(spent_ns: Floats, after_ns: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Whether a packet's driver waited for the radio, and which share of what was spent before that the wait swallows.

    What the processor spent between the reception and the wait does not delay the packet, as far as the processor would
    have waited without it. `after_ns`: how long after the radio was ready the driver's step began and ended.
    """
    late_ns, left_ns = after_ns
    waits: NDArray[np.bool_] = (late_ns < 0) & (left_ns > 0)
    # With probes it came too late to wait; without them it would have waited a little.
    part = np.clip(1 - late_ns / np.maximum(spent_ns, 1e-9), 0.0, 1.0)
    return waits, np.where(waits, 1.0, part * (late_ns >= 0))


def _parts(walk: _Walk, medians: list[_Medians]) -> tuple[CostPart, ...]:
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


def _shared(walk: _Walk, values: Floats) -> Floats:
    """One column more: what the steps of a node share adds up in the total, nodes are independent."""
    owners = np.array(walk.owners)
    return np.append(np.abs(values), math.hypot(*(values[owners == node].sum() for node in walk.prices)))


def _apart(values: Floats) -> Floats:
    """One column more: every step alone."""
    return np.append(values, math.sqrt(float(np.square(values).sum())))


def _lead_standard(walk: _Walk, start: tuple[Milestone, str], end: tuple[Milestone, str]) -> float:
    """Of the leads of both ends; those of one node's events cancel."""
    leads = [walk.lead(*bound) for bound in (start, end)]
    return 0.0 if start[1] == end[1] and leads[0] == leads[1] else math.hypot(*leads) / math.sqrt(3)


def _median(values: Floats | NDArray[np.float32]) -> float:
    """Over the packets; 0 without any."""
    return float(np.median(values)) if len(values) else 0.0
