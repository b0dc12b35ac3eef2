"""What a report is made of."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from gpiorig.analysis.delays import numbers as routenumbers
from gpiorig.analysis.delays.numbers import RouteNumbers
from gpiorig.analysis.packets import routes
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.analysis.study.analysis import Analysis
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
    analysis, study
        Of the recording.
    provenance
        Where the numbers come from, in the order to print: seed, samplerate, firmware, versions.
    notes
        Checks that failed, one sentence each.
    tallies
        Further counts for the health of the recording.
    """

    title: str
    virtual: bool
    analysis: Analysis
    study: Study
    provenance: Mapping[str, str]
    notes: tuple[str, ...]
    tallies: tuple[Tally, ...]

    @property
    def timelines(self) -> Timelines | None:
        """The milestones of all round trips; None of a recording of one-way packets."""
        return self.analysis.timelines


@dataclass(frozen=True, slots=True, eq=False)
class RouteView:
    """A route with its numbers and its study.

    Parameters
    ----------
    route
        Its packets.
    numbers
        Their statistics.
    study
        What the statistics contain.
    """

    route: Route
    numbers: RouteNumbers
    study: RouteStudy

    @property
    def noun(self) -> str:
        """What the whole delay is."""
        return "round-trip time" if self.route.name == routes.ROUND_TRIP else "delay"


@functools.lru_cache(maxsize=1)
def route_views(data: ReportData) -> tuple[RouteView, ...]:
    """The routes that have a packet, as the study orders them.

    The last answer is kept: page, figures, tables and summary of one run ask for the same.
    """
    studies = (each for each in data.study.routes if len(each.route))
    return tuple(RouteView(each.route, routenumbers.numbers(each.route), each) for each in studies)
