"""The tables of a recording: every table that is written into it or exported, by name, in one list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from gpiorig.analysis.delays import radio_parts
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.processor import occupancy
from gpiorig.analysis.study.analysis import Analysis
from gpiorig.analysis.study.study import RouteStudy, Study
from gpiorig.analysis.tables import audit as audit_tables
from gpiorig.analysis.tables import hops as hop_tables
from gpiorig.analysis.tables import stages as tables
from gpiorig.analysis.tables import study as studytables
from gpiorig.analysis.tables.stages import ALL

Parts = tuple[int, Callable[[slice], pa.Table]]


@dataclass(frozen=True, slots=True)
class StageTable:
    """A table of an analysis.

    Parameters
    ----------
    name
        Of the table, and of its file.
    parts
        The number of its rows, and what makes a part of them; None where the recording does not have this stage. The
        study, where there is one, adds columns.
    """

    name: str
    parts: Callable[[Analysis, Study | None], Parts | None]


def _steps(analysis: Analysis, study: Study | None) -> Parts | None:
    """The steps of all routes, each below the other."""
    routes = [route for route in analysis.routes if len(route)]
    known: dict[str, RouteStudy] = {} if study is None else {own.route.name: own for own in study.routes}

    optional = {
        "uncertainty_ns": any(own.uncertainties for own in known.values()),
        "corrected_ns": any(own.costs is not None for own in known.values()),
    }

    def of_route(place: int, part: slice) -> pa.Table:
        route = routes[place]
        own = known.get(route.name)
        uncertainties, costs = (own.uncertainties, own.costs) if own else ((), None)
        content = tables.steps(route.steps, part=part, uncertainties=uncertainties, costs=costs)
        for name in (name for name, used in optional.items() if used and name not in content.column_names):
            content = content.append_column(name, pa.nulls(content.num_rows, pa.float64()))
        return studytables.with_route(route.name, content)

    return _joined([route.steps.samples.size for route in routes], of_route)


def _layers(study: Study) -> Parts | None:
    """Self-times and residence of every packet of all routes."""
    shown = [(own.route, own.layers) for own in study.routes if own.layers]

    def of_route(place: int, part: slice) -> pa.Table:
        route, layers = shown[place]
        return studytables.with_route(route.name, occupancy.layers_table(layers, route, part=part))

    return _joined([layers.self_samples.size for _, layers in shown], of_route)


def _radio_parts(study: Study) -> Parts | None:
    """The divided radio waits of every packet of the first route."""
    if not study.routes or not study.routes[0].parts:
        return None
    route, waits = study.routes[0].route, study.routes[0].parts
    return len(route) * len(waits), lambda part: radio_parts.as_table(waits, route, part=part)


def _joined(sizes: Sequence[int], table: Callable[[int, slice], pa.Table]) -> Parts | None:
    """Tables of some routes as one; None without a route."""
    ends = [0, *np.cumsum(sizes, dtype=np.int64).tolist()]

    def make(part: slice) -> pa.Table:
        start, stop, _ = part.indices(ends[-1])
        places = enumerate(pairwise(ends))
        cuts = [(place, slice(max(start - first, 0), max(stop - first, 0))) for place, (first, _) in places]
        parts = [table(place, cut) for place, cut in cuts]
        return pa.concat_tables(parts)

    return (ends[-1], make) if sizes else None


def _of_hops(table: Callable[[Hops], pa.Table]) -> Callable[[Analysis, Study | None], Parts | None]:
    def parts(analysis: Analysis, study: Study | None) -> Parts | None:
        hops = analysis.hops
        return None if hops is None else (0, lambda part: table(hops))

    return parts


def _packets(analysis: Analysis, study: Study | None) -> Parts | None:
    hops, trips = analysis.hops, analysis.round_trips
    return None if hops is None else (0, lambda part: hop_tables.packets_table(hops, trips))


def _round_trips(table: Callable[[RoundTrips, slice], pa.Table]) -> Callable[[Analysis, Study | None], Parts | None]:
    def parts(analysis: Analysis, study: Study | None) -> Parts | None:
        trips = analysis.round_trips
        return None if trips is None else (len(trips), lambda part: table(trips, part))

    return parts


TABLES = (
    StageTable("events", lambda analysis, _: (len(analysis.events), lambda part: tables.events(analysis, part=part))),
    StageTable("damaged", lambda analysis, _: (0, lambda part: tables.damaged(analysis.events))),
    StageTable("unattributed", _of_hops(hop_tables.unattributed_table)),
    StageTable("packets", _packets),
    StageTable("hops", _of_hops(hop_tables.hops_table)),
    StageTable("transmissions", _of_hops(hop_tables.transmissions_table)),
    StageTable("receptions", _of_hops(hop_tables.receptions_table)),
    StageTable("round_trips", _round_trips(lambda trips, part: tables.round_trips(trips, part=part))),
    StageTable("timelines", _round_trips(lambda trips, part: tables.timelines(trips.timelines, part=part))),
    StageTable("steps", _steps),
)
NAMES = tuple(table.name for table in TABLES)


def table(analysis: Analysis, name: str) -> pa.Table | None:
    """One of `NAMES`; None where the recording does not have it."""
    parts = TABLES[NAMES.index(name)].parts(analysis, None)
    return None if parts is None else parts[1](ALL)


def study_tables(study: Study) -> dict[str, pa.Table]:
    """The tables of a study, by name; all but that of layers, which has rows per packet."""
    listed = studytables.tables(study) | {
        "occupancy": studytables.per_route(
            study, lambda own: occupancy.occupancy_table(own.occupancy, own.route) if own.occupancy else None
        ),
        "matchings": audit_tables.matchings(study.audit) if study.audit else None,
    }
    return {name: content for name, content in listed.items() if content is not None and content.num_rows}


def write(analysis: Analysis, study: Study, further: Mapping[str, pa.Table], *, folder: Path) -> None:
    """Write all tables as Parquet into a folder; equal recordings give equal bytes.

    `further` are tables of the study, or made from it.
    """
    stages = ((stage.name, stage.parts(analysis, study)) for stage in TABLES)
    tables.write_all(_jobs((*stages, ("layers", _layers(study)), ("radio_parts", _radio_parts(study))), folder))
    for name, content in further.items():
        tables.write(content, folder / f"{name}.parquet")


def _jobs(
    stages: Sequence[tuple[str, Parts | None]], folder: Path
) -> Iterator[tuple[Callable[[slice], pa.Table], int, Path]]:
    for name, parts in stages:
        if parts is not None:
            yield parts[1], parts[0], folder / f"{name}.parquet"
