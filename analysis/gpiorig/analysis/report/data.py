"""What a report is made of."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpiorig.analysis.delays import numbers as routenumbers
from gpiorig.analysis.delays.numbers import RouteNumbers
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets import routes
from gpiorig.analysis.packets.association import Packets
from gpiorig.analysis.packets.reconciliation import Reconciliation
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.timelines import Steps, Timelines
from gpiorig.analysis.study.study import RouteStudy, Study


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts that belong together, for the health of a recording.

    Parameters
    ----------
    title
        What is counted.
    rows
        Name and count of each, also when it is zero.
    """

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ReportData:
    """What a report is made of.

    Parameters
    ----------
    title
        Name of the experiment.
    virtual
        Whether the recording is from a virtual bench.
    packets, timelines, steps
        The stages of round trips; None for a run without.
    reconciliation
        The initiator's log against the timelines, if there is a log.
    logs
        Logs by name of the node.
    provenance
        Where the numbers come from, in the order to print: seed, samplerate, firmware, versions.
    notes
        Checks that failed, one sentence each.
    study
        What the statistics say, route by route; None if nobody asked them.
    events
        Of a run without round trips, for what the capture lost.
    tallies
        Further counts for the health of the recording.
    """

    title: str
    virtual: bool
    packets: Packets | None
    timelines: Timelines | None
    steps: Steps | None
    reconciliation: Reconciliation | None = None
    logs: Mapping[str, NodeLog] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    study: Study | None = None
    events: Events | None = None
    tallies: tuple[Tally, ...] = ()

    @property
    def seen(self) -> Events | None:
        """The events of the recording, if they are known."""
        return self.packets.events if self.packets is not None else self.events


@dataclass(frozen=True, slots=True, eq=False)
class RouteView:
    """A route with its numbers, and what the study says about it.

    Parameters
    ----------
    route
        Its packets.
    numbers
        Their statistics.
    study
        None if there is none.
    """

    route: Route
    numbers: RouteNumbers
    study: RouteStudy | None

    @property
    def noun(self) -> str:
        """What the whole delay is."""
        return "round-trip time" if self.route.name == routes.ROUND_TRIP else "delay"


@functools.lru_cache(maxsize=1)
def route_views(data: ReportData) -> tuple[RouteView, ...]:
    """The routes that have a packet, as the study orders them; without a study the round trips.

    The last answer is kept: page, figures, tables and summary of one run ask for the same.
    """
    if data.study is not None:
        found: list[tuple[Route, RouteStudy | None]] = [(each.route, each) for each in data.study.routes]
    elif data.timelines is not None and data.steps is not None:
        found = [(routes.round_trips(data.timelines, data.steps), None)]
    else:
        found = []
    return tuple(RouteView(route, routenumbers.numbers(route), study) for route, study in found if len(route))
