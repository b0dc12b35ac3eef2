"""Walk along a route: what the nodes sent in each step of its packets, and how much of that delays them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays.calibration import Price
from gpiorig.analysis.delays.instruments import Instruments, seen_at
from gpiorig.analysis.delays.sent_events import SentEvents
from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.ids import code_set
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.path import Kind, Milestone
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step

Floats = NDArray[np.float64]

# The steps that a processor spends; in the others the radio does, whatever events the processor sends meanwhile.
_BY_PROCESSOR = (Kind.SOFTWARE, Kind.MAC, Kind.DRIVER, Kind.INTERRUPT, Kind.APPLICATION)

# A node that sends these waits for its slot.
_IS_SLOT = code_set(code for code, event in BY_CODE.items() if event.layer == "slot")

# Where a reception begins to keep the radio busy, and where a driver waits until it is not.
_RECEIVED, _WAITS = "tap.irq.enter", "driver.prepare.enter"


@dataclass(frozen=True, slots=True)
class Wait:
    """A step in which a driver waits for its radio, which sends its acknowledgement.

    Parameters
    ----------
    column
        Of the step.
    received
        Of the step that begins with the reception.
    busy_samples
        For how long the radio is busy from then on.
    spent
        Columns of the steps of the node from then on, before this one.
    """

    column: int
    received: int
    busy_samples: int
    spent: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StepCosts:
    """What the probes cost some packets in one step.

    Parameters
    ----------
    sent
        float64[2, k], events with and without id that the node sent.
    delaying
        float64[2, k], how many of them delay the packet; less what a wait swallows.
    cost_ns
        float64[k], what they add.
    swallowed
        How many of the packets met such a wait.
    """

    sent: Floats
    delaying: Floats
    cost_ns: Floats
    swallowed: int


class Walk:
    """A route, the nodes' prices, and the events that the nodes sent."""

    def __init__(self, events: Events, steps: tuple[Step, ...], instruments: Instruments, prices: dict[str, Price]):
        self.steps, self.instruments, self.prices = steps, instruments, prices
        self.seen = seen_at(steps)
        self.owners = [here for here, _ in self.seen]
        self._slotted = _slotted(events)
        self._period_ns = float(NS_PER_S / events.samplerate_hz)
        self.waits = tuple(self._waits())
        nodes, count = [events.node(owner) for owner in self.owners], len(steps)
        self._sent = SentEvents(events)
        self._ranges = [
            *((node, column, column + 1) for column, node in enumerate(nodes)),
            *((nodes[wait.column], count + 1 + at, wait.column + 1) for at, wait in enumerate(self.waits)),
        ]

    def _waits(self) -> Iterator[Wait]:
        wait: Wait | None = None
        for column, (node, step) in enumerate(zip(self.owners, self.steps, strict=True)):
            busy_ns = self.instruments.node(node).busy_ns
            if step.start.event == _RECEIVED and busy_ns:
                wait = Wait(column, column, round(busy_ns / self._period_ns), ())
            if wait is None or self.owners[wait.received] != node:
                continue
            if step.start.event == _WAITS:
                yield replace(wait, column=column)
                wait = None
            else:
                wait = replace(wait, spent=(*wait.spent, column))

    def costs(self, route: Route, part: slice) -> list[StepCosts]:
        """Costs of some packets in one step after the other."""
        samples, count = route.steps.samples[part], len(self.steps)
        instants = np.empty((len(samples), count + 1 + len(self.waits)), dtype=np.int64)
        instants[:, 0] = route.starts[part]
        np.cumsum(samples, axis=1, out=instants[:, 1 : count + 1])
        instants[:, 1 : count + 1] += instants[:, :1]
        for at, wait in enumerate(self.waits, count + 1):
            instants[:, at] = instants[:, wait.received] + wait.busy_samples
        sent = self._sent.within(instants, self._ranges)
        delaying = [sent[column] * self.share(column) for column in range(count)]
        swallowed = [0] * count
        for at, wait in enumerate(self.waits, count):
            column = wait.column
            spent = sum((delaying[before] for before in wait.spent), np.zeros_like(delaying[column]))
            after_ns = (instants[:, column : column + 2] - instants[:, [at + 1]]).T.astype(np.float64) * self._period_ns
            waits, share = _wait(self.cost(column, spent), after_ns)
            delaying[column] = np.where(waits, sent[at], delaying[column]) - share * spent
            swallowed[column] = int(np.count_nonzero(share))
        return [
            StepCosts(
                sent=sent[column] * (self.share(column) > 0),
                delaying=delaying[column],
                cost_ns=self.cost(column, delaying[column]),
                swallowed=swallowed[column],
            )
            for column in range(count)
        ]

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
        kind, by_software = step.kind, step.is_backoff or self.instruments.node(node).waits_in_software
        before_slot = node in self._slotted and not step.start.received and kind in _BY_PROCESSOR
        if before_slot or kind is Kind.FRAGMENTS or (by_software and kind in (Kind.RADIO_WAIT, Kind.UNDIVIDED)):
            return 0.5
        return float(kind in _BY_PROCESSOR)


def _slotted(events: Events) -> set[str]:
    """Nodes that wait for slots."""
    nodes = [np.unique(events.nodes[part][_IS_SLOT[events.codes[part]]]) for part in slices(len(events))]
    return {events.node_names[node] for of_part in nodes for node in of_part.tolist()}


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
