"""The tables of a recording: every table that is written into it or exported, by name, in one list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from gpiorig.analysis.attribution import findings
from gpiorig.analysis.audit.results import Audit
from gpiorig.analysis.columns import plain
from gpiorig.analysis.delays import budget, jitter, radio_parts, uncertainty
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.evaluation.evaluation import Evaluation, RouteEvaluation
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.processor import occupancy
from gpiorig.analysis.tables import evaluation as routetables
from gpiorig.analysis.tables import hops as hop_tables
from gpiorig.analysis.tables import stages as tables
from gpiorig.analysis.tables.stages import ALL
from gpiorig.capture import memory

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
        have this stage. An evaluation adds columns.
    """

    name: str
    parts: Callable[[Analysis, Evaluation | None], Parts | None]


def _steps(analysis: Analysis, evaluation: Evaluation | None) -> Parts | None:
    """The steps of all routes, one route below the other."""
    routes = [route for route in analysis.routes if len(route)]
    evaluations: dict[str, RouteEvaluation] = (
        {} if evaluation is None else {evaluated.route.name: evaluated for evaluated in evaluation.routes}
    )

    optional = {
        "uncertainty_ns": any(evaluated.uncertainties for evaluated in evaluations.values()),
        "corrected_ns": any(evaluated.costs is not None for evaluated in evaluations.values()),
    }

    def table_of_route(place: int, part: slice) -> pa.Table:
        route = routes[place]
        evaluated = evaluations.get(route.name)
        uncertainties, costs = (evaluated.uncertainties, evaluated.costs) if evaluated else ((), None)
        content = tables.steps(route.steps, part=part, uncertainties=uncertainties, costs=costs)
        for name in (name for name, used in optional.items() if used and name not in content.column_names):
            content = content.append_column(name, pa.nulls(content.num_rows, pa.float64()))
        return routetables.with_route(route.name, content)

    return _joined([route.steps.samples.size for route in routes], table_of_route)


def _layers(evaluation: Evaluation) -> Parts | None:
    """Self-times and residence of every packet of all routes."""
    with_layers = [(evaluated.route, evaluated.layers) for evaluated in evaluation.routes if evaluated.layers]

    def table_of_route(place: int, part: slice) -> pa.Table:
        route, layers = with_layers[place]
        return routetables.with_route(route.name, occupancy.layers_table(layers, route, part=part))

    return _joined([layers.self_samples.size for _, layers in with_layers], table_of_route)


def _radio_parts(evaluation: Evaluation) -> Parts | None:
    """The divided radio waits of every packet of the first route."""
    if not evaluation.routes or not evaluation.routes[0].parts:
        return None
    route, waits = evaluation.routes[0].route, evaluation.routes[0].parts
    return len(route) * len(waits), lambda part: radio_parts.as_table(waits, route, part=part)


def _joined(sizes: Sequence[int], table: Callable[[int, slice], pa.Table]) -> Parts | None:
    """Tables of some routes as one; None without a route."""
    ends = [0, *np.cumsum(sizes, dtype=np.int64).tolist()]

    def make(part: slice) -> pa.Table:
        start, stop, _ = part.indices(ends[-1])
        places = enumerate(pairwise(ends))
        cuts = [
            (place, slice(max(start - route_start, 0), max(stop - route_start, 0)))
            for place, (route_start, _) in places
        ]
        parts = [table(place, cut) for place, cut in cuts]
        return pa.concat_tables(parts).unify_dictionaries()

    return (ends[-1], make) if sizes else None


def _hop_table(
    rows: Callable[[Hops], Sized], table: Callable[[Hops, slice], pa.Table]
) -> Callable[[Analysis, Evaluation | None], Parts | None]:
    def parts(analysis: Analysis, evaluation: Evaluation | None) -> Parts | None:
        hops = analysis.hops
        return None if hops is None else (len(rows(hops)), lambda part: table(hops, part))

    return parts


def _packets(analysis: Analysis, evaluation: Evaluation | None) -> Parts | None:
    hops, trips = analysis.hops, analysis.round_trips
    return None if hops is None else (len(hops.packets), lambda part: hop_tables.packets_table(hops, trips, part=part))


def _transmissions(analysis: Analysis, evaluation: Evaluation | None) -> Parts | None:
    hops = analysis.hops
    if hops is None:
        return None
    readings = hop_tables.readings_of(hops)
    return len(readings), lambda part: hop_tables.transmissions_table(hops, readings, part)


def _round_trips(
    table: Callable[[RoundTrips, slice], pa.Table],
) -> Callable[[Analysis, Evaluation | None], Parts | None]:
    def parts(analysis: Analysis, evaluation: Evaluation | None) -> Parts | None:
        trips = analysis.round_trips
        return None if trips is None else (len(trips), lambda part: table(trips, part))

    return parts


TABLES = (
    StageTable("events", lambda analysis, _: (len(analysis.events), lambda part: tables.events(analysis, part=part))),
    StageTable("damaged", lambda analysis, _: (0, lambda part: tables.damaged(analysis.events))),
    StageTable("unattributed", _hop_table(lambda hops: hops.unattributed, hop_tables.unattributed_table)),
    StageTable("packets", _packets),
    StageTable("hops", _hop_table(lambda hops: hops, hop_tables.hops_table)),
    StageTable("transmissions", _transmissions),
    StageTable("receptions", _hop_table(lambda hops: hops.receptions, hop_tables.receptions_table)),
    StageTable("round_trips", _round_trips(lambda trips, part: tables.round_trips(trips, part=part))),
    StageTable("timelines", _round_trips(lambda trips, part: tables.timelines(trips.timelines, part=part))),
    StageTable("steps", _steps),
)
NAMES = tuple(table.name for table in TABLES)
_EVALUATED_STAGES: Mapping[str, Callable[[Evaluation], Parts | None]] = {"layers": _layers, "radio_parts": _radio_parts}


def table(analysis: Analysis, name: str) -> pa.Table | None:
    """One of `NAMES`; None where the recording does not have it."""
    parts = TABLES[NAMES.index(name)].parts(analysis, None)
    return None if parts is None else plain(parts[1](ALL))


def _per_route(table: Callable[[RouteEvaluation], pa.Table | None]) -> Callable[[Evaluation], pa.Table | None]:
    """The tables of all routes below each other, the name of the route in front; None where no route has a row."""

    def joined(evaluation: Evaluation) -> pa.Table | None:
        parts = [(route.route.name, table(route)) for route in evaluation.routes]
        rows = [routetables.with_route(name, part) for name, part in parts if part is not None and part.num_rows]
        return pa.concat_tables(rows, promote_options="permissive") if rows else None

    return joined


def _audit_table(table: Callable[[Audit], pa.Table]) -> Callable[[Evaluation], pa.Table | None]:
    """A table of the audit; None without an audit."""
    return lambda evaluation: table(evaluation.audit) if evaluation.audit is not None else None


def _uncertainty(evaluation: Evaluation) -> pa.Table:
    """One row per delay, then those of the parts of its radio waits, route by route."""
    routes = [
        (evaluated.route.name, (*evaluated.uncertainties, *evaluated.part_uncertainties))
        for evaluated in evaluation.routes
    ]
    return uncertainty.as_table(routes)


def _summary(evaluation: Evaluation) -> pa.Table | None:
    """Statistics of total delays, and of each step of the first route; None without a packet that has all steps."""
    if not evaluation.routes:
        return None
    main = evaluation.routes[0]
    summaries = dict(evaluation.delays) or {main.route.name: main.numbers.total}
    summaries |= {step.name: summary for step, summary in zip(main.route.steps.steps, main.numbers.steps, strict=True)}
    return tables.summary(
        summaries,
        samplerate_hz=main.route.steps.samplerate_hz,
        uncertainties=main.uncertainties,
        costs=main.costs,
    )


EVALUATION_TABLES: Mapping[str, Callable[[Evaluation], pa.Table | None]] = {
    "summary": _summary,
    "route_steps": _per_route(routetables.steps),
    "layer_times": _per_route(routetables.layer_times),
    "jitter": _per_route(lambda evaluated: jitter.as_table(evaluated.jitter)),
    "budget": _per_route(lambda evaluated: budget.as_table(evaluated.budget)),
    "findings": _per_route(lambda evaluated: findings.as_table(evaluated.attributions)),
    "uncertainty": _uncertainty,
    "occupancy": _per_route(lambda evaluated: occupancy.occupancy_table(evaluated.occupancy, evaluated.route)),
    **{name: _audit_table(table) for name, table in routetables.AUDIT_TABLES.items()},
}


def evaluation_tables(evaluation: Evaluation) -> dict[str, pa.Table]:
    """The tables of an evaluation that have a row, by name; none of them has rows per packet."""
    contents = {name: make(evaluation) for name, make in EVALUATION_TABLES.items()}
    return {name: plain(content) for name, content in contents.items() if content is not None and content.num_rows}


def files(folder: Path) -> list[Path]:
    """The tables that `write` has written into a folder."""
    names = {*NAMES, *_EVALUATED_STAGES, *EVALUATION_TABLES}
    return [path for path in sorted(folder.glob(f"*{SUFFIX}")) if path.stem in names]


def stage_tables(analysis: Analysis, evaluation: Evaluation) -> dict[str, Parts | None]:
    """The tables with rows per event or packet, by name; None for those that the recording does not have."""
    stages = {stage.name: stage.parts(analysis, evaluation) for stage in TABLES}
    return stages | {name: parts(evaluation) for name, parts in _EVALUATED_STAGES.items()}


def write(analysis: Analysis, evaluation: Evaluation, *, folder: Path) -> dict[str, pa.Table]:
    """Write all tables as Parquet into a folder; equal recordings give equal bytes. Returns those of the evaluation.

    Tables of an earlier report that this one does not have are deleted.
    """
    memory.give_back()
    stages = stage_tables(analysis, evaluation)
    tables.write_all(_jobs([*stages.items()], folder))
    content_by_table = evaluation_tables(evaluation)
    absent = {
        name for name, parts in stages.items() if parts is None
    } | EVALUATION_TABLES.keys() - content_by_table.keys()
    for name in absent:
        (folder / f"{name}{SUFFIX}").unlink(missing_ok=True)
    for name, content in content_by_table.items():
        tables.write(content, folder / f"{name}{SUFFIX}")
    return content_by_table


def write_stages(analysis: Analysis, *, folder: Path) -> None:
    """Write the tables of an analysis without an evaluation, as Parquet."""
    stages = [(stage.name, stage.parts(analysis, None)) for stage in TABLES]
    tables.write_all(_jobs(stages, folder))


def _jobs(
    stages: Sequence[tuple[str, Parts | None]], folder: Path
) -> Iterator[tuple[Callable[[slice], pa.Table], int, Path]]:
    for name, parts in stages:
        if parts is not None:
            yield parts[1], parts[0], folder / f"{name}{SUFFIX}"
