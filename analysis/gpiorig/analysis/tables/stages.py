"""Tables: the stages as columns with units in their names, in Parquet or CSV. Equal data give equal bytes.

A table of strings takes many times the memory of the stage it is made from. So those that grow with the recording are
made of any `part` of their rows, and `write_parts` makes and writes one part after the other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
from numpy.typing import NDArray

from gpiorig.analysis.columns import (
    COUNT,
    NONE,
    NUMBER,
    flattened,
    names,
    ns,
    nullable,
    plain,
    table,
    texts,
    values,
)
from gpiorig.analysis.delays.probe_costs import ProbeCosts
from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.errors import TableError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.hops import packets_of
from gpiorig.analysis.packets.path import DIRECTIONS
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.steps import Steps
from gpiorig.analysis.packets.timelines import STATUS, Timelines
from gpiorig.analysis.statistics.summary import Summary
from gpiorig.analysis.tables import latex
from gpiorig.analysis.tables.suffixes import SUFFIXES
from gpiorig.analysis.tables.writers import ROW_GROUP, writer_of
from gpiorig.capture import mapped
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.text.cells import guarded_columns, unguarded_columns

ALL = slice(None)
EVENT_NAMES = {code: event.name for code, event in BY_CODE.items()}
_LAYERS = {code: event.layer for code, event in BY_CODE.items()}


def events(analysis: Analysis, *, part: slice = ALL) -> pa.Table:
    """All events, with the packet of each; for round trips also the request and the direction."""
    stage, hops, trips = analysis.events, analysis.hops, analysis.round_trips
    count = len(range(*part.indices(len(stage))))
    rows = np.full(count, NONE, np.int32) if hops is None else packets_of(hops.visit_of[part], hops.visits)
    requests, directions = np.full(count, NONE, np.int32), np.full(count, NONE, np.int8)
    if trips is not None:
        has_packet, place = rows != NONE, np.maximum(rows, 0)
        np.copyto(requests, trips.request_of.take(place), where=has_packet, casting="same_kind")
        np.copyto(directions, trips.directions.take(place), where=has_packet)
    columns: dict[str, Any] = {
        "sample": stage.samples[part],
        "node": node_names(stage, stage.nodes[part]),
        "code": stage.codes[part],
        "event": names(stage.codes[part], EVENT_NAMES),
        "layer": names(stage.codes[part], _LAYERS),
        "id": nullable(stage.ids[part]),
        "packet_row": nullable(rows),
        "request_row": nullable(requests),
        "direction": names(directions, dict(enumerate(DIRECTIONS))),
    }
    return table(columns, stage.samplerate_hz)


def node_names(events: Events, indices: NDArray[Any]) -> pa.Array:
    """The names of nodes, null for -1."""
    return names(indices, dict(enumerate(events.node_names)))


def damaged(stage: Events) -> pa.Table:
    """Frames on the symbol buses that are not events."""
    columns = {
        "sample": stage.damaged.samples,
        "node": node_names(stage, stage.damaged.nodes),
        "symbols": stage.damaged.symbols,
    }
    return table(columns, stage.samplerate_hz)


def round_trips(stage: RoundTrips, *, part: slice = ALL) -> pa.Table:
    """One row per round trip: status, round-trip time, transmissions and receptions."""
    every = stage.timelines
    lines = replace(every, ids=every.ids[part], samples=every.samples[part], status=every.status[part])
    rtt = lines.rtt
    columns: dict[str, Any] = {
        "packet_row": stage.requests[part].astype(np.int32),
        "reply_row": nullable(stage.replies[part].astype(np.int32)),
        "id": lines.ids,
        "start_sample": lines.samples[:, 0],
        "status": names(lines.status, STATUS),
        "detail": texts(lines.details()),
        "rtt_samples": nullable(rtt),
        "rtt_ns": ns(rtt, lines.samplerate_hz),
    }
    for direction, name in enumerate(DIRECTIONS):
        for count in ("transmissions", "receptions", "fragments", "deliveries", "no_ack", "busy"):
            columns[f"{name}_{count}"] = getattr(stage, count)[part, direction]
    return table(columns, lines.samplerate_hz)


def timelines(stage: Timelines, *, part: slice = ALL) -> pa.Table:
    """One row per round trip, one column of samples per milestone; `packet_row` is that of the request."""
    columns: dict[str, Any] = {
        "packet_row": stage.packets[part].astype(np.int32),
        "id": stage.ids[part],
        "status": names(stage.status[part], STATUS),
    }
    for column, milestone in enumerate(stage.milestones):
        columns[f"{milestone.name}_sample"] = nullable(stage.samples[part, column])
    return table(columns, stage.samplerate_hz)


def steps(
    stage: Steps,
    *,
    part: slice = ALL,
    uncertainties: Sequence[DelayUncertainty] = (),
    costs: ProbeCosts | None = None,
) -> pa.Table:
    """One row per packet and step of a route, in the order of the path.

    Parameters
    ----------
    stage, part
        The steps, and which rows of the table.
    uncertainties
        Uncertainties of every step (further ones do not matter): a column with the expanded one of each duration.
    costs
        Costs of the probes: a column with each duration minus its cost.
    """
    flat = stage.samples.reshape(-1)[part].astype(np.int64)
    rows, column = flattened(stage.rows, len(stage.steps), part)
    columns = {
        "packet_row": rows.astype(np.int32),
        "step": names(column, dict(enumerate(step.name for step in stage.steps))),
        "node": names(column, dict(enumerate(step.node for step in stage.steps))),
        "duration_samples": flat,
        "duration_ns": ns(flat, stage.samplerate_hz),
    }
    duration_ns = flat * float(NS_PER_S / stage.samplerate_hz)
    if uncertainties:
        expanded_ns = np.empty(len(flat))
        for place in range(min(len(flat), len(stage.steps))):
            here = slice(place, None, len(stage.steps))  # one step of all packets
            expanded_ns[here] = uncertainties[column[place]].expanded_of(duration_ns[here])
        columns["uncertainty_ns"] = expanded_ns
    if costs is not None:
        columns["corrected_ns"] = duration_ns - costs.costs_ns.reshape(-1)[part]
    return table(columns, stage.samplerate_hz)


def summary(
    rows: Mapping[str, Summary],
    *,
    samplerate_hz: Fraction,
    uncertainties: Sequence[DelayUncertainty] = (),
    costs: ProbeCosts | None = None,
) -> pa.Table:
    """One row per named delay; with `uncertainties` also those of one such delay, and its value without probes."""
    columns: dict[str, Any] = {"delay": texts([*rows])}
    known = {uncertainty.name: uncertainty for uncertainty in uncertainties}
    described: dict[str, Callable[[DelayUncertainty], float]] = {"uncertainty_ns": lambda item: item.expanded_ns}
    if costs is not None:
        described |= {
            "probe_events": lambda item: item.probe_events,
            "probe_cost_ns": lambda item: item.probe_cost_ns,
            "corrected_median_ns": lambda item: item.corrected_ns,
            "corrected_uncertainty_ns": lambda item: item.corrected_expanded_ns,
        }
    fields = [asdict(row) for row in rows.values()]
    for name in Summary.__dataclass_fields__:
        columns[name] = values([row[name] for row in fields], COUNT if name in {"n", "lost"} else NUMBER)
    for name, value in described.items() if uncertainties else ():
        columns[name] = values([value(known[row]) if row in known else None for row in rows], NUMBER)
    return table(columns, samplerate_hz)


def write(content: pa.Table, path: Path) -> None:
    """Write a table; the suffix of `path` (one of `SUFFIXES`) selects the format. The file is replaced in one step."""
    _check_suffix(path)
    with replacing(path) as new:
        if path.suffix == ".csv":
            pyarrow.csv.write_csv(guarded_columns(plain(content)), new)
        elif path.suffix == ".tex":
            new.write_text(latex.tabular(plain(content)), encoding="utf-8")
        elif path.suffix == ".parquet":
            with writer_of(path.suffix, new, content.schema) as writer:
                writer.write_table(content, row_group_size=ROW_GROUP)
        else:
            pyarrow.feather.write_feather(plain(content), new, compression="zstd")


def write_parts(make: Callable[[slice], pa.Table], rows: int, path: Path) -> None:
    """Write a table as `write` would write all of it, byte for byte, with only a part of it in memory.

    Parameters
    ----------
    make
        Function that makes a part of the table, such as ``lambda part: tables.steps(stage, part=part)``.
    rows
        Rows of the complete table.
    path
        As for `write`, but a Parquet or a CSV file.
    """
    _check_suffix(path)
    parts = [slice(start, min(start + ROW_GROUP, rows)) for start in range(0, rows, ROW_GROUP)]
    if len(parts) < 2:
        write(make(ALL), path)
        return
    if path.suffix == ".csv":
        make = partial(_as_text, make)
    content = make(parts[0])
    with replacing(path) as new, writer_of(path.suffix, new, content.schema) as writer:
        writer.write_table(content)
        for part in parts[1:]:
            writer.write_table(make(part))
            mapped.relieve()
    pa.default_memory_pool().release_unused()


def write_all(tables: Iterable[tuple[Callable[[slice], pa.Table], int, Path]]) -> None:
    """Write tables as `write_parts` does, each in a thread, as many at once as there are processors."""
    longest_first = sorted(tables, key=lambda job: job[1], reverse=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for _ in pool.map(lambda job: write_parts(*job), longest_first):
            pass


def _as_text(make: Callable[[slice], pa.Table], part: slice) -> pa.Table:
    return guarded_columns(plain(make(part)))


def read(path: Path) -> pa.Table:
    """Read a table that `write` wrote; a CSV has lost the samplerate, and its types follow from its content."""
    _check_suffix(path)
    if path.suffix == ".tex":
        raise TableError(f"{path}: LaTeX is written, not read; use the Parquet file next to it.")
    if not path.is_file():
        raise TableError(f"no table {path}; is the recording analysed (`gpiorig report`)?")
    try:
        with path.open("rb") as file:  # the libraries take UTF-8 names only
            if path.suffix == ".csv":
                return unguarded_columns(pyarrow.csv.read_csv(file))
            return pyarrow.parquet.read_table(file) if path.suffix == ".parquet" else pyarrow.feather.read_table(file)
    except pa.ArrowInvalid as error:
        raise TableError(f"{path} is not a valid table: {error}; delete it and analyse again.") from error


def samplerate_hz(content: pa.Table) -> Fraction:
    """The exact samplerate a table carries."""
    metadata = content.schema.metadata or {}
    if b"samplerate_hz" not in metadata:
        raise TableError("this table carries no samplerate; use the Parquet file, not the CSV.")
    return Fraction(metadata[b"samplerate_hz"].decode())


def _check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise TableError(f"{path}: a table is a file with suffix {' or '.join(SUFFIXES)}.")
