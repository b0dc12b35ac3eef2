"""Tables: the stages as columns with units in their names, in Parquet or CSV. Equal data give equal bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from gpiorig.analysis import timelines as timelines_module
from gpiorig.analysis.errors import TableError
from gpiorig.analysis.event_table import BY_CODE
from gpiorig.analysis.events import Events
from gpiorig.analysis.packets import Packets
from gpiorig.analysis.path import DIRECTIONS
from gpiorig.analysis.statistics import Summary
from gpiorig.analysis.timelines import STATUS, Steps, Timelines
from gpiorig.analysis.unattributed import REASONS

SUFFIXES = (".parquet", ".csv", ".arrow", ".feather")
_NAMES = {code: event.name for code, event in BY_CODE.items()}
_LAYERS = {code: event.layer for code, event in BY_CODE.items()}


def events(stage: Events, *, packets: Packets | None = None) -> pa.Table:
    """All events; with `packets` also the packet and direction each belongs to."""
    columns: dict[str, Any] = {
        "sample": stage.samples,
        "node": _names(stage.nodes, dict(enumerate(stage.node_names))),
        "code": stage.codes,
        "event": _names(stage.codes, _NAMES),
        "layer": _names(stage.codes, _LAYERS),
        "id": _nullable(stage.ids),
    }
    if packets is not None:
        columns["packet_row"] = _nullable(packets.packet_of)
        columns["direction"] = _names(packets.direction_of, dict(enumerate(DIRECTIONS)))
    return _table(columns, stage.samplerate_hz)


def damaged(stage: Events) -> pa.Table:
    """Frames on the symbol buses that are no events."""
    nodes = _names(stage.damaged.nodes, dict(enumerate(stage.node_names)))
    columns = {"sample": stage.damaged.samples, "node": nodes, "symbols": stage.damaged.symbols}
    return _table(columns, stage.samplerate_hz)


def unattributed(packets: Packets) -> pa.Table:
    """Events that could not be given to a packet, with the reason."""
    at, stage = packets.unattributed.positions, packets.events
    columns = {
        "sample": stage.samples[at],
        "node": _names(stage.nodes[at], dict(enumerate(stage.node_names))),
        "event": _names(stage.codes[at], _NAMES),
        "id": _nullable(stage.ids[at]),
        "reason": _names(packets.unattributed.reasons, REASONS),
    }
    return _table(columns, stage.samplerate_hz)


def packets(stage: Packets, lines: Timelines) -> pa.Table:
    """One row per packet: status, round-trip time, transmissions and receptions."""
    columns: dict[str, Any] = {
        "packet_row": np.arange(len(stage), dtype=np.int32),
        "id": stage.ids,
        "start_sample": stage.starts,
        "status": _names(lines.status, STATUS),
        "detail": pa.array([lines.detail(row) for row in range(len(lines))], pa.string()),
        "rtt_samples": _nullable(lines.rtt),
        "rtt_ns": _ns(lines.rtt, lines.samplerate_hz),
    }
    for direction, name in enumerate(DIRECTIONS):
        for count in ("transmissions", "receptions", "fragments", "no_ack", "busy"):
            columns[f"{name}_{count}"] = getattr(stage, count)[:, direction]
    return _table(columns, lines.samplerate_hz)


def timelines(stage: Timelines) -> pa.Table:
    """One row per packet, one column of samples per milestone."""
    columns: dict[str, Any] = {
        "packet_row": np.arange(len(stage), dtype=np.int32),
        "id": stage.ids,
        "status": _names(stage.status, STATUS),
    }
    for column, milestone in enumerate(stage.milestones):
        columns[f"{milestone.name}_sample"] = _nullable(stage.samples[:, column])
    return _table(columns, stage.samplerate_hz)


def steps(stage: Steps) -> pa.Table:
    """One row per packet and step, in the order of the path."""
    packets_n, steps_n = stage.samples.shape
    flat = stage.samples.reshape(-1)
    columns = {
        "packet_row": np.repeat(stage.rows, steps_n).astype(np.int32),
        "step": pa.array([step.name for step in stage.steps] * packets_n, pa.string()),
        "node": pa.array([step.node for step in stage.steps] * packets_n, pa.string()),
        "duration_samples": flat,
        "duration_ns": _ns(flat, stage.samplerate_hz),
    }
    return _table(columns, stage.samplerate_hz)


def summary(rows: Mapping[str, Summary], *, samplerate_hz: Fraction) -> pa.Table:
    """One row per named delay."""
    table: dict[str, Any] = {"delay": pa.array(list(rows), pa.string())}
    fields = [asdict(row) for row in rows.values()]
    for name in Summary.__dataclass_fields__:
        table[name] = pa.array([row[name] for row in fields], pa.int64() if name in {"n", "lost"} else pa.float64())
    return _table(table, samplerate_hz)


def write(table: pa.Table, path: Path) -> None:
    """Write a table; the suffix of `path` (one of `SUFFIXES`) says how. The file is replaced in one step."""
    _check_suffix(path)
    new = path.with_name(f"{path.name}.new")
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, new)
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, new, compression="zstd", version="2.6", store_schema=True)
    else:
        pyarrow.feather.write_feather(table, new, compression="zstd")
    new.replace(path)


def read(path: Path) -> pa.Table:
    """Read a table that `write` wrote; a CSV has lost the samplerate and takes types from what it holds."""
    _check_suffix(path)
    if not path.is_file():
        raise TableError(f"no table {path}; is the recording analysed (`gpiorig report`)?")
    try:
        if path.suffix == ".csv":
            return pyarrow.csv.read_csv(path)
        return pyarrow.parquet.read_table(path) if path.suffix == ".parquet" else pyarrow.feather.read_table(path)
    except pa.ArrowInvalid as error:
        raise TableError(f"{path} is not the table it should be: {error}; delete it and analyse again.") from error


def samplerate_hz(table: pa.Table) -> Fraction:
    """The exact samplerate a table carries."""
    metadata = table.schema.metadata or {}
    if b"samplerate_hz" not in metadata:
        raise TableError("this table carries no samplerate; use the Parquet file, not the CSV.")
    return Fraction(metadata[b"samplerate_hz"].decode())


def _check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise TableError(f"{path}: a table is a file with suffix {' or '.join(SUFFIXES)}.")


def _table(columns: Mapping[str, Any], rate: Fraction) -> pa.Table:
    return pa.table(dict(columns), metadata={"samplerate_hz": str(rate)})


def _names(keys: np.typing.NDArray[Any], names: Mapping[int, str]) -> pa.Array:
    """The name of every key, null for a key without one."""
    order = sorted(names)
    place = np.searchsorted(order, keys)
    known = np.isin(keys, order)
    indices = pa.array(np.where(known, place, 0).astype(np.int32), mask=~known)
    dictionary = pa.array([names[key] for key in order], pa.string())
    return pa.DictionaryArray.from_arrays(indices, dictionary).cast(pa.string())


def _nullable(values: np.typing.NDArray[Any]) -> pa.Array:
    return pa.array(values, mask=values == timelines_module.NONE)


def _ns(values: np.typing.NDArray[np.int64], rate: Fraction) -> pa.Array:
    """Samples as float64 ns, null for -1."""
    return pa.array(values * float(1_000_000_000 / rate), mask=values == timelines_module.NONE)
