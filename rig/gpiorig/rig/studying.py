"""From the routes of a recording to its study: every statistic, with what the bench knows of its instruments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import budget, jitter, probe_costs, uncertainty
from gpiorig.analysis import tables as table_files
from gpiorig.analysis.analyzers import Instruments
from gpiorig.analysis.attribution import findings
from gpiorig.analysis.attribution.activities import Activity, activities
from gpiorig.analysis.attribution.attribute import attribute
from gpiorig.analysis.attribution.covariates import covariates, of_steps
from gpiorig.analysis.auditing import tables as audit_tables
from gpiorig.analysis.events import Events
from gpiorig.analysis.log import NodeLog
from gpiorig.analysis.network import hop_routes
from gpiorig.analysis.network.hops import Hops
from gpiorig.analysis.packets import Packets
from gpiorig.analysis.processor import occupancy
from gpiorig.analysis.processor.ownership import Ownership
from gpiorig.analysis.routes import Route
from gpiorig.analysis.study import RouteStudy, Study
from gpiorig.capture.recording import Recording
from gpiorig.capture.replacing import replacing
from gpiorig.rig import auditing, instruments
from gpiorig.rig.plainjson import without_nan

MAX_ROUTES = 8  # studied; the tables of hops hold all
PER_PACKET = ("layers",)  # tables with rows per packet


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """Routes of one kind, and which events are of their packets.

    Attributes
    ----------
    routes
        The one with the most packets first.
    packet_of
        int32[n]: of every event the row that `Route.steps.rows` counts in, -1 none.
    ways
        int8[n]: of every event 0 where its node sends the packet, 1 where it receives it, -1 neither.
    covariates
        What the delays of a route may depend on, with what else ran.
    """

    routes: tuple[Route, ...]
    packet_of: NDArray[np.int32]
    ways: NDArray[np.int8]
    covariates: Callable[[Route, occupancy.Occupancy], Mapping[str, NDArray[np.float64]]]


def of_round_trips(packets: Packets, route: Route) -> Subject:
    """The round trips of a recording."""
    return Subject(
        routes=(route,),
        packet_of=packets.packet_of,
        ways=occupancy.ways(packets),
        covariates=lambda route, found: covariates(packets, route, found),
    )


def of_hops(hops: Hops, routes: tuple[Route, ...]) -> Subject:
    """One-way packets of a recording, over any number of hops."""
    return Subject(
        routes=routes,
        packet_of=hops.packet_of,
        ways=hops.ways,
        covariates=lambda route, found: hop_routes.covariates(hops, route) | of_steps(hops.events, route, found),
    )


def study(recording: Recording, subject: Subject, *, events: Events, logs: Mapping[str, NodeLog]) -> Study:
    """Everything that can be said of the routes and clocks of a recording."""
    facts = _Facts(
        known=instruments.of_recording(recording),
        periodic=activities(events),
        owned=occupancy.owners(events, subject.packet_of),
    )
    return Study(
        routes=tuple(_of_route(route, subject, events, facts) for route in subject.routes[:MAX_ROUTES] if len(route)),
        audit=auditing.audited(recording, events, logs),
    )


def write(found: Study, recording: Recording) -> None:
    """Write the study as tables into the recording, and what is no packet's own as JSON beside the report."""
    made = tables(found)
    for name, table in made.items():
        table_files.write(table, recording.folder / f"{name}.parquet")
    numbers = {name: without_nan(table.to_pylist()) for name, table in made.items() if name not in PER_PACKET}
    recording.report_folder.mkdir(exist_ok=True)
    with replacing(recording.report_folder / "study.json") as new:
        new.write_text(json.dumps(numbers, indent=1, allow_nan=False), encoding="utf-8")


def tables(found: Study) -> dict[str, pa.Table]:
    """The study as tables, by name; a column `route` where there is one row or more per route."""
    per_route: dict[str, Callable[[RouteStudy], pa.Table | None]] = {
        "jitter": lambda each: jitter.as_table(each.jitter),
        "budget": lambda each: budget.as_table(each.budget),
        "findings": lambda each: findings.as_table(each.attributions),
        "layers": lambda each: occupancy.layers_table(each.layers, each.route) if each.layers else None,
        "occupancy": lambda each: occupancy.occupancy_table(each.occupancy, each.route) if each.occupancy else None,
    }
    made = {name: _joined(found.routes, table) for name, table in per_route.items()}
    made["uncertainty"] = uncertainty.as_table([(each.route.name, each.uncertainties) for each in found.routes])
    if found.audit:
        made |= {
            "audit": audit_tables.comparisons(found.audit),
            "serial_stages": audit_tables.stages(found.audit),
            "clocks": audit_tables.clock_fits(found.audit),
            "stability": audit_tables.stability(found.audit),
            "matchings": audit_tables.matchings(found.audit),
        }
    return {name: table for name, table in made.items() if table is not None and table.num_rows}


@dataclass(frozen=True, slots=True, eq=False)
class _Facts:
    """What all routes of a recording share: its instruments, what is periodic, who had the processors."""

    known: Instruments
    periodic: Mapping[str, Activity]
    owned: Mapping[str, Ownership]


def _of_route(route: Route, subject: Subject, events: Events, facts: _Facts) -> RouteStudy:
    costs = probe_costs.of_route(events, route, facts.known)
    running = occupancy.occupancy(events, route, packet_of=subject.packet_of, owned=facts.owned)
    return RouteStudy(
        route=route,
        jitter=jitter.of_route(route),
        budget=budget.budget(route.steps, starts=route.starts),
        uncertainties=uncertainty.of_steps(route.steps, facts.known, total=route.name, costs=costs),
        attributions=attribute(route, covariates=subject.covariates(route, running), activities=facts.periodic),
        costs=costs,
        layers=occupancy.layer_times(events, route, packet_of=subject.packet_of, ways=subject.ways, owned=facts.owned),
        occupancy=running,
    )


def _joined(routes: Sequence[RouteStudy], table: Callable[[RouteStudy], pa.Table | None]) -> pa.Table | None:
    """The tables of all routes below each other, with the name of the route in front."""
    parts = []
    for each in routes:
        found = table(each)
        if found is not None:
            names = pa.array([each.route.name] * found.num_rows, pa.string())
            place = found.column_names.index("route") if "route" in found.column_names else None
            found = found.remove_column(place) if place is not None else found
            parts.append(found.add_column(0, "route", names))
    return pa.concat_tables(parts) if parts else None
