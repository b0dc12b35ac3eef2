"""From the routes of a recording to its study: every statistic, with what the bench knows of its instruments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.attribution import radio_waits
from gpiorig.analysis.attribution.activities import Activity, activities
from gpiorig.analysis.attribution.attribute import attribute
from gpiorig.analysis.attribution.covariates import covariates, of_steps
from gpiorig.analysis.delays import budget, jitter, probe_costs, radio_parts, uncertainty
from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.analysis.delays.probe_costs import ProbeCosts
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets import hop_routes
from gpiorig.analysis.packets.association import Packets
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor import occupancy
from gpiorig.analysis.study.study import RouteStudy, Study
from gpiorig.analysis.tables import audit as audit_tables
from gpiorig.analysis.tables import stages as table_files
from gpiorig.analysis.tables import study as studytables
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.plain_json import without_nan
from gpiorig.rig.progress import counted
from gpiorig.rig.recordings import instruments
from gpiorig.rig.results import audit_inputs

MAX_ROUTES = 8  # studied; the tables of hops hold all


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
    round_trips
        bool[n]: events of packets that make round trips; None of one-way packets.
    """

    routes: tuple[Route, ...]
    packet_of: NDArray[np.int32]
    ways: NDArray[np.int8]
    covariates: Callable[[Route, occupancy.Occupancy], Mapping[str, NDArray[np.float64]]]
    round_trips: NDArray[np.bool_] | None = None


def of_round_trips(packets: Packets, route: Route) -> Subject:
    """The round trips of a recording."""
    return Subject(
        routes=(route,),
        packet_of=packets.packet_of,
        ways=occupancy.ways(packets),
        covariates=lambda route, found: covariates(packets, route, found),
        round_trips=packets.packet_of >= 0,
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
    return Study(
        routes=of_routes(subject, events, instruments.of_recording(recording)),
        audit=audit_inputs.audited(recording, events, logs, round_trips=subject.round_trips),
    )


def of_routes(subject: Subject, events: Events, known: Instruments) -> tuple[RouteStudy, ...]:
    """Everything that can be said of the routes of a recording made with known instruments."""
    routes = [route for route in subject.routes[:MAX_ROUTES] if len(route)]
    costs = [probe_costs.of_route(events, route, known) for route in routes]
    with counted(int(subject.packet_of.max(initial=-1)) + 1, "who ran", unit="packets") as done:
        ran = occupancy.of_routes(events, routes, packet_of=subject.packet_of, ways=subject.ways, progress=done)
    periodic = activities(events)
    return tuple(
        _of_route(route, subject, events=events, known=known, periodic=periodic, costs=each, ran=others)
        for route, each, others in zip(routes, costs, ran, strict=True)
    )


def write(found: Study, recording: Recording) -> None:
    """Write the study as tables into the recording, and what is no packet's own as JSON beside the report."""
    made = write_tables(found, recording.folder)
    numbers = {name: without_nan(table.to_pylist()) for name, table in made.items()}
    recording.report_folder.mkdir(exist_ok=True)
    with replacing(recording.report_folder / "study.json") as new:
        new.write_text(json.dumps(numbers, indent=1, allow_nan=False), encoding="utf-8")


def write_tables(found: Study, folder: Path) -> dict[str, pa.Table]:
    """Write the study as tables into a folder; gives those that have no rows per packet."""
    made = _tables(found)
    for name, table in made.items():
        table_files.write(table, folder / f"{name}.parquet")
    _write_layers(found.routes, folder / "layers.parquet")
    _write_waits(found.routes, folder / "radio_parts.parquet")
    return made


def _tables(found: Study) -> dict[str, pa.Table]:
    """The study as tables, by name; all but that of layers, which has rows per packet."""
    made = studytables.tables(found) | {
        "occupancy": studytables.per_route(
            found, lambda each: occupancy.occupancy_table(each.occupancy, each.route) if each.occupancy else None
        ),
        "matchings": audit_tables.matchings(found.audit) if found.audit else None,
    }
    return {name: table for name, table in made.items() if table is not None and table.num_rows}


def _of_route(
    route: Route,
    subject: Subject,
    *,
    events: Events,
    known: Instruments,
    periodic: Mapping[str, Activity],
    costs: ProbeCosts | None,
    ran: tuple[occupancy.LayerTimes | None, occupancy.Occupancy],
) -> RouteStudy:
    layers, running = ran
    air, parts = radio_waits.from_events(events, route, known)
    return RouteStudy(
        route=route,
        jitter=jitter.of_route(route),
        budget=budget.budget(route.steps, starts=route.starts, parts=parts),
        uncertainties=uncertainty.of_steps(route.steps, known, total=route.name, costs=costs),
        attributions=attribute(
            route,
            covariates=lambda some: subject.covariates(route.of(some), running.of(some)),
            activities=periodic,
            waits={name: frames.wait for name, frames in air.items()},
        ),
        costs=costs,
        layers=layers,
        occupancy=running,
        parts=parts,
        part_uncertainties=tuple(part for wait in parts for part in radio_parts.uncertainties(wait, route, known)),
    )


def _write_waits(studies: Sequence[RouteStudy], path: Path) -> None:
    """The divided radio waits of every packet of the first route, in parts."""
    if studies and studies[0].parts:
        route, waits = studies[0].route, studies[0].parts
        table_files.write_parts(
            lambda part: radio_parts.as_table(waits, route, part=part), len(route) * len(waits), path
        )


def _write_layers(routes: Sequence[RouteStudy], path: Path) -> None:
    """Self-times and residence of every packet of all routes, in parts."""
    told = [(each.route, each.layers) for each in routes if each.layers]
    ends = np.cumsum([layers.self_samples.size for _, layers in told], dtype=np.int64).tolist()

    def make(part: slice) -> pa.Table:
        start, stop, _ = part.indices(ends[-1])
        parts = []
        for (route, layers), end in zip(told, ends, strict=True):
            begin = end - layers.self_samples.size
            own = slice(max(start - begin, 0), max(stop - begin, 0))
            parts.append(studytables.with_route(route.name, occupancy.layers_table(layers, route, part=own)))
        return pa.concat_tables(parts)

    if told:
        table_files.write_parts(make, ends[-1], path)
