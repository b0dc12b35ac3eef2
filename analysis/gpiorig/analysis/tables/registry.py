"""The tables of a recording: every table that is written into it or exported, by name, in one list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from gpiorig.analysis.attribution import findings
from gpiorig.analysis.audit.audit import Audit
from gpiorig.analysis.delays import budget, jitter, radio_parts, uncertainty
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

SUFFIX = ".parquet"  # of tables in a recording

Parts = tuple[int, Callable[[slice], pa.Table]]


@dataclass(frozen=True, slots=True)
class StageTable:
    """A table of an analysis.

    Parameters
    ----------
    name
        Name of the table, and of its file.
    parts
        The number of its rows, and a function that makes a part of them; None where the recording does not
        have this stage. A study adds columns.
    """

    name: str
    parts: Callable[[Analysis, Study | None], Parts | None]


def _steps(analysis: Analysis, study: Study | None) -> Parts | None:
    """The steps of all routes, one route below the other."""
    routes = [route for route in analysis.routes if len(route)]
    known: dict[str, RouteStudy] = {} if study is None else {own.route.name: own for own in study.routes}

    optional = {
        "uncertainty_ns": any(own.uncertainties for own in known.values()),
        "corrected_ns": any(own.costs is not None for own in known.values()),
    }

    def table_of_route(place: int, part: slice) -> pa.Table:
        route = routes[place]
        own = known.get(route.name)
        uncertainties, costs = (own.uncertainties, own.costs) if own else ((), None)
        content = tables.steps(route.steps, part=part, uncertainties=uncertainties, costs=costs)
        for name in (name for name, used in optional.items() if used and name not in content.column_names):
            content = content.append_column(name, pa.nulls(content.num_rows, pa.float64()))
        return studytables.with_route(route.name, content)

    return _joined([route.steps.samples.size for route in routes], table_of_route)


def _layers(study: Study) -> Parts | None:
    """Self-times and residence of every packet of all routes."""
    shown = [(own.route, own.layers) for own in study.routes if own.layers]

    def table_of_route(place: int, part: slice) -> pa.Table:
        route, layers = shown[place]
        return studytables.with_route(route.name, occupancy.layers_table(layers, route, part=part))

    return _joined([layers.self_samples.size for _, layers in shown], table_of_route)


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


def _hop_table(
    rows: Callable[[Hops], Sized], table: Callable[[Hops, slice], pa.Table]
) -> Callable[[Analysis, Study | None], Parts | None]:
    def parts(analysis: Analysis, study: Study | None) -> Parts | None:
        hops = analysis.hops
        return None if hops is None else (len(rows(hops)), lambda part: table(hops, part))

    return parts


def _packets(analysis: Analysis, study: Study | None) -> Parts | None:
    hops, trips = analysis.hops, analysis.round_trips
    return None if hops is None else (len(hops.packets), lambda part: hop_tables.packets_table(hops, trips, part=part))


def _round_trips(table: Callable[[RoundTrips, slice], pa.Table]) -> Callable[[Analysis, Study | None], Parts | None]:
    def parts(analysis: Analysis, study: Study | None) -> Parts | None:
        trips = analysis.round_trips
        return None if trips is None else (len(trips), lambda part: table(trips, part))

    return parts


TABLES = (
    StageTable("events", lambda analysis, _: (len(analysis.events), lambda part: tables.events(analysis, part=part))),
    StageTable("damaged", lambda analysis, _: (0, lambda part: tables.damaged(analysis.events))),
    StageTable("unattributed", _hop_table(lambda hops: hops.unattributed, hop_tables.unattributed_table)),
    StageTable("packets", _packets),
    StageTable("hops", _hop_table(lambda hops: hops, hop_tables.hops_table)),
    StageTable("transmissions", _hop_table(lambda hops: hops.transmissions, hop_tables.transmissions_table)),
    StageTable("receptions", _hop_table(lambda hops: hops.receptions, hop_tables.receptions_table)),
    StageTable("round_trips", _round_trips(lambda trips, part: tables.round_trips(trips, part=part))),
    StageTable("timelines", _round_trips(lambda trips, part: tables.timelines(trips.timelines, part=part))),
    StageTable("steps", _steps),
)
NAMES = tuple(table.name for table in TABLES)
_STUDY_STAGES: Mapping[str, Callable[[Study], Parts | None]] = {"layers": _layers, "radio_parts": _radio_parts}


def table(analysis: Analysis, name: str) -> pa.Table | None:
    """One of `NAMES`; None where the recording does not have it."""
    parts = TABLES[NAMES.index(name)].parts(analysis, None)
    return None if parts is None else parts[1](ALL)


def _per_route(table: Callable[[RouteStudy], pa.Table | None]) -> Callable[[Study], pa.Table | None]:
    """The tables of all routes below each other, the name of the route in front; None where no route has a row."""

    def joined(study: Study) -> pa.Table | None:
        parts = [(route.route.name, table(route)) for route in study.routes]
        rows = [studytables.with_route(name, part) for name, part in parts if part is not None and part.num_rows]
        return pa.concat_tables(rows, promote_options="permissive") if rows else None

    return joined


def _audit_table(table: Callable[[Audit], pa.Table]) -> Callable[[Study], pa.Table | None]:
    """A table of the audit; None without an audit."""
    return lambda study: table(study.audit) if study.audit is not None else None


def _uncertainty(study: Study) -> pa.Table:
    """One row per delay, then those of the parts of its radio waits, route by route."""
    routes = [(own.route.name, (*own.uncertainties, *own.part_uncertainties)) for own in study.routes]
    return uncertainty.as_table(routes)


def _summary(study: Study) -> pa.Table | None:
    """Statistics of total delays, and of each step of the first route; None without a packet that has all steps."""
    if not study.routes:
        return None
    main = study.routes[0]
    summaries = dict(study.delays) or {main.route.name: main.numbers.total}
    summaries |= {step.name: summary for step, summary in zip(main.route.steps.steps, main.numbers.steps, strict=True)}
    return tables.summary(
        summaries,
        samplerate_hz=main.route.steps.samplerate_hz,
        uncertainties=main.uncertainties,
        costs=main.costs,
    )


STUDY_TABLES: Mapping[str, Callable[[Study], pa.Table | None]] = {
    "summary": _summary,
    "route_steps": _per_route(studytables.steps),
    "layer_times": _per_route(studytables.layer_times),
    "jitter": _per_route(lambda own: jitter.as_table(own.jitter)),
    "budget": _per_route(lambda own: budget.as_table(own.budget)),
    "findings": _per_route(lambda own: findings.as_table(own.attributions)),
    "uncertainty": _uncertainty,
    "occupancy": _per_route(lambda own: occupancy.occupancy_table(own.occupancy, own.route)),
    "audit": _audit_table(audit_tables.comparisons),
    "matchings": _audit_table(audit_tables.matchings),
    "serial_stages": _audit_table(audit_tables.stages),
    "clocks": _audit_table(audit_tables.clock_fits),
    "stability": _audit_table(audit_tables.stability),
}


def study_tables(study: Study) -> dict[str, pa.Table]:
    """The tables of a study that have a row, by name; none of them has rows per packet."""
    contents = {name: make(study) for name, make in STUDY_TABLES.items()}
    return {name: content for name, content in contents.items() if content is not None and content.num_rows}


def files(folder: Path) -> list[Path]:
    """The tables that `write` has written into a folder."""
    names = {*NAMES, *_STUDY_STAGES, *STUDY_TABLES}
    return [path for path in sorted(folder.glob(f"*{SUFFIX}")) if path.stem in names]


def stage_tables(analysis: Analysis, study: Study) -> dict[str, Parts | None]:
    """The tables with rows per event or packet, by name; None for those that the recording does not have."""
    stages = {stage.name: stage.parts(analysis, study) for stage in TABLES}
    return stages | {name: parts(study) for name, parts in _STUDY_STAGES.items()}


def write(analysis: Analysis, study: Study, *, folder: Path) -> dict[str, pa.Table]:
    """Write all tables as Parquet into a folder; equal recordings give equal bytes. Returns those of the study.

    Tables of an earlier report that this one does not have are deleted.
    """
    stages = stage_tables(analysis, study)
    tables.write_all(_jobs([*stages.items()], folder))
    study_content = study_tables(study)
    absent = {name for name, parts in stages.items() if parts is None} | STUDY_TABLES.keys() - study_content.keys()
    for name in absent:
        (folder / f"{name}{SUFFIX}").unlink(missing_ok=True)
    for name, content in study_content.items():
        tables.write(content, folder / f"{name}{SUFFIX}")
    return study_content


def write_stages(analysis: Analysis, *, folder: Path) -> None:
    """Write the tables of an analysis without a study, as Parquet."""
    stages = [(stage.name, stage.parts(analysis, None)) for stage in TABLES]
    tables.write_all(_jobs(stages, folder))


def _jobs(
    stages: Sequence[tuple[str, Parts | None]], folder: Path
) -> Iterator[tuple[Callable[[slice], pa.Table], int, Path]]:
    for name, parts in stages:
        if parts is not None:
            yield parts[1], parts[0], folder / f"{name}{SUFFIX}"
