"""The evaluation of an analysed recording: every statistic, with the properties of the instruments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import radio_waits
from gpiorig.analysis.attribution.activities import Activity, activities
from gpiorig.analysis.attribution.attribute import attribute
from gpiorig.analysis.attribution.covariates import covariates, step_covariates
from gpiorig.analysis.audit.auditor import audit
from gpiorig.analysis.audit.inputs import NodeRecord
from gpiorig.analysis.delays import budget, jitter, numbers, probe_costs, radio_parts, uncertainty
from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.analysis.delays.probe_costs import ProbeCosts
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.evaluation.evaluation import Evaluation, RouteEvaluation
from gpiorig.analysis.events.events import slices
from gpiorig.analysis.packets import hop_routes
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.processor import occupancy
from gpiorig.analysis.statistics.value_series import ValueSeries
from gpiorig.capture import mapped, memory

MAX_ROUTES = 8  # evaluated; the tables of hops contain all

Progress = Callable[[int, str], AbstractContextManager[Callable[[int], object] | None]]


def _silent(count: int, text: str) -> AbstractContextManager[Callable[[int], object] | None]:
    return nullcontext()


def evaluate(
    analysis: Analysis,
    instruments: Instruments,
    records: Sequence[NodeRecord] | None,
    *,
    progress: Progress = _silent,
) -> Evaluation:
    """Evaluate the routes and the clocks of a recording.

    Parameters
    ----------
    analysis
        Analysis of the recording.
    instruments
        Instruments of the recording.
    records
        Logs of each node and of the host; None if no serial port was recorded: no audit.
    progress
        Shows the progress of a number of packets under a name.
    """
    audited = None
    if records is not None:
        audited = audit(analysis.events, records, round_trips=analysis.in_round_trips)
    lines = analysis.timelines
    delays = numbers.round_trips(lines, analysis.events) if lines is not None else {}
    return Evaluation(routes=routes(analysis, instruments, progress=progress), audit=audited, delays=delays)


def routes(
    analysis: Analysis, instruments: Instruments, *, progress: Progress = _silent
) -> tuple[RouteEvaluation, ...]:
    """Evaluate the routes that have packets, at most `MAX_ROUTES` of them."""
    events, hops = analysis.events, analysis.hops
    chosen = [route for route in analysis.routes[:MAX_ROUTES] if len(route)]
    if hops is None or not chosen:
        return ()
    costs = [probe_costs.for_route(events, route, instruments) for route in chosen]
    memory.give_back()
    packet_of = analysis.event_packets
    with progress(packet_of.highest + 1, "processor") as done:
        ran = occupancy.for_routes(events, chosen, packet_of=packet_of, ways=hops.ways, progress=done)
    periodic = activities(events)
    memory.give_back()
    return tuple(
        _route(route, analysis, instruments, periodic=periodic, costs=cost, ran=times)
        for route, cost, times in zip(chosen, costs, ran, strict=True)
    )


def _route(
    route: Route,
    analysis: Analysis,
    instruments: Instruments,
    *,
    periodic: Mapping[str, Activity],
    costs: ProbeCosts | None,
    ran: tuple[occupancy.LayerTimes | None, occupancy.Occupancy],
) -> RouteEvaluation:
    layers, running = ran
    air, parts = radio_waits.from_events(analysis.events, route, instruments)
    memory.give_back()

    def depends_on(some: NDArray[np.int64]) -> Mapping[str, NDArray[np.float64]]:
        part, others = route.select(some), running.select(some)
        if route.name == ROUND_TRIP and analysis.round_trips is not None:
            return covariates(analysis.round_trips, part, others)
        assert analysis.hops is not None
        return hop_routes.covariates(analysis.hops, part) | step_covariates(analysis.events, part, others)

    total = ValueSeries(_totals(route))
    with ThreadPoolExecutor(1) as pool:  # the tests are of few packets, at the pace of Python
        attributions = pool.submit(
            attribute,
            route,
            covariates=depends_on,
            activities=periodic,
            waits={name: frames.wait for name, frames in air.items()},
            retransmissions={route.steps.steps[wait.column].name: wait.retransmission for wait in parts},
        )
        shares = budget.budget(route.steps, starts=route.starts, parts=parts, total=total)
        route_numbers = numbers.numbers(route, shares, total)
        measures = jitter.for_route(route, total)
    memory.give_back()
    return RouteEvaluation(
        route=route,
        numbers=route_numbers,
        jitter=measures,
        budget=shares,
        uncertainties=uncertainty.for_steps(
            route.steps,
            instruments,
            total=route.name,
            costs=costs,
            summaries=(*route_numbers.steps, route_numbers.total),
        ),
        attributions=attributions.result(),
        costs=costs,
        layers=layers,
        occupancy=running,
        parts=parts,
        part_uncertainties=tuple(
            part for wait in parts for part in radio_parts.uncertainties(wait, route, instruments)
        ),
    )


def _totals(route: Route) -> NDArray[np.int64]:
    """`Route.totals`, mapped."""
    totals = mapped.zeros(len(route), np.int64)
    for part in slices(len(route)):
        route.steps.samples[part].sum(axis=1, out=totals[part])
    return totals
