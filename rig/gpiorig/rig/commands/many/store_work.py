"""`gpiorig store`: keep the results of many recordings and studies, and answer SQL over them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pyarrow as pa

from gpiorig.analysis.number_text import count_text
from gpiorig.analysis.tables import stages
from gpiorig.capture.errors import Error
from gpiorig.rig import plain_json, text_table
from gpiorig.rig.distributions import STUDIES
from gpiorig.rig.errors import StoreError
from gpiorig.rig.plain_json import Number, Result, without_nan
from gpiorig.rig.progress import iterate
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.recordings.standing import Standing
from gpiorig.rig.store.contents import NONE, Key
from gpiorig.rig.store.outcomes import Added, Collected
from gpiorig.rig.store.store import Store


class Point(Protocol):
    """A point of a study, as `studies.points.stored` has it."""

    @property
    def study(self) -> str:
        """Its study."""

    @property
    def state(self) -> str:
        """Its state."""

    @property
    def has_ended(self) -> bool:
        """Whether a store takes it."""

    @property
    def recording(self) -> Path:
        """Its recording."""

    def add(self, store: Store) -> Added:
        """Add it to a store, in place of an earlier one."""


BOARDS = {True: "virtual", False: "on boards", None: "not known whether virtual"}
MAX_WIDTH = 60  # characters of a cell on the terminal


class AddedRun(Result, frozen=True, kw_only=True):
    """What was added; the remarks are those on the recording and on what was added of it."""

    study: str
    point: str
    run: str
    status: str
    state: str | None
    remarks: tuple[str, ...]
    folder: str


class StoredStudy(Result, frozen=True, kw_only=True):
    """A study in the store; `bytes` of its tables."""

    study: str
    points: int
    runs: int
    bytes: int | None


class StoredRecording(Result, frozen=True, kw_only=True):
    """A recording of which there are results; `missing`: it is not at its last place."""

    recording: str
    fingerprint: str
    place: str
    state: str
    experiment: str
    virtual: bool | None
    began: str
    samplerate_hz: Number
    bytes: int
    parameters: dict[str, Any]
    missing: bool


class Contents(Result, frozen=True, kw_only=True):
    """What a store has."""

    studies: tuple[StoredStudy, ...]
    recordings: tuple[StoredRecording, ...]


RESULTS = {
    "store-add": (AddedRun,),
    "store-ls": (Contents,),
    "store-query": (dict[str, Any],),
    "store-rm": (tuple[Key, ...],),
    "store-gc": (Collected,),
}


def run(options: argparse.Namespace) -> int:
    """Run a verb."""
    verbs = {"add": _add, "ls": _list, "query": _query, "export": _export, "rm": _remove, "gc": _collect}
    return verbs[options.verb](Store(options.store), options)


def _add(store: Store, options: argparse.Namespace) -> int:
    """Add recordings and points of studies; 1 if one of several could not be added."""
    given, status = Given.of(options), 0
    for folder in iterate(options.recordings, "adding", unit="runs"):
        try:
            if points := _points_in(folder):
                _add_points(store, folder, points, options)
                continue
            added = store.add(given.open(folder), study=options.study, quantities=options.quantities)
            source = standing.announced(folder, as_json=options.json)
        except Error as error:
            if len(options.recordings) == 1:
                raise
            print(f"not added: {error}", file=sys.stderr)
            status = 1
            continue
        print(plain_json.text(_stated(added, source)) if options.json else _as_text(added, str(folder)))
    return status


def _points_in(folder: Path) -> Sequence[Point]:
    """The points of studies in a folder; without gpiorig-studies a folder has none."""
    if not STUDIES.is_installed:
        return ()
    points: Sequence[Point] = STUDIES.load("stored", needed_by="gpiorig store add").points_in(folder)
    return points


def _add_points(store: Store, folder: Path, points: Sequence[Point], options: argparse.Namespace) -> None:
    """Add the points of studies that have ended."""
    if options.study != NONE or options.quantities:
        raise StoreError(f"{folder}: its points have their studies and quantities; omit --study and --quantity.")
    ended = [point for point in points if point.has_ended]
    for point in ended:
        added = point.add(store)
        if options.json:
            print(plain_json.text(_stated(added, standing.of_source(point.recording))))
    if not options.json:
        studies = len({point.study for point in ended})
        print(f"{folder}: {count_text(len(ended), 'point')} of {count_text(studies, 'study', 'studies')} added")
    if len(ended) < len(points):
        left, states = (
            len(points) - len(ended),
            ", ".join(sorted({point.state for point in points if not point.has_ended})),
        )
        remedy = "`gpiorig study run` records or analyses them"
        print(f"{folder}: not added: {count_text(left, 'point')} ({states}); {remedy}.", file=sys.stderr)


def _stated(added: Added, source: Standing) -> AddedRun:
    """What was added."""
    return AddedRun(
        study=added.key.study,
        point=added.key.point,
        run=added.key.run,
        status=added.status,
        state=source.state,
        remarks=(*source.as_json()["remarks"], *added.remarks),
        folder=str(source.source),
    )


def _as_text(added: Added, folder: str) -> str:
    remarks = "".join(f"\n  {remark}" for remark in added.remarks)
    return f"{folder}: {added.status}, {added.key.run}{remarks}"


def _list(store: Store, options: argparse.Namespace) -> int:
    """List what is there; 1 if a recording is missing."""
    moved = store.find(map(Path, options.search)) if options.search else ()
    studies = store.query(
        "SELECT study, (SELECT count(*) FROM points p WHERE p.study = s.study) AS points, "
        "(SELECT count(*) FROM runs r WHERE r.study = s.study) AS runs, "
        "(SELECT sum(bytes)::BIGINT FROM files f WHERE f.study = s.study) AS bytes FROM studies s ORDER BY study"
    ).to_pylist()
    rows = store.recordings()
    if options.json:
        listed = tuple(
            StoredRecording(**asdict(row) | {"parameters": json.loads(row.parameters)}, missing=not row.is_there)
            for row in rows
        )
        print(plain_json.text(Contents(studies=msgspec.convert(studies, tuple[StoredStudy, ...]), recordings=listed)))
    else:
        for study in studies:
            size = (study["bytes"] or 0) / 1e6
            print(f"study {study['study']}: {study['points']} points, {study['runs']} runs, {size:.2f} MB of tables")
        for row in moved:
            print(f"found: {row.recording} is in {row.place} now")
        for row in rows:
            virtual = BOARDS[row.virtual]
            place = row.place if row.is_there else f"MISSING; its last place is {row.place}"
            print(f"{row.recording}  {row.began}  {row.experiment or '-'}, {virtual}, {row.state}: {place}")
    return int(any(not row.is_there for row in rows))


def _query(store: Store, options: argparse.Namespace) -> int:
    table = store.query(options.sql)
    if options.json:
        for row in without_nan(table.to_pylist()):
            print(json.dumps(row, default=str))
    else:
        _print(table)
    return 0


def _print(table: pa.Table) -> None:
    """A table in columns; numbers to the right."""
    rows = [[_cell(value) for value in row.values()] for row in table.to_pylist()]
    types = [field.type for field in table.schema]
    right = [n for n, kind in enumerate(types) if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
    print("\n".join(text_table.lines(table.column_names, rows, right=right)))


def _cell(value: object) -> str:
    text = "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= MAX_WIDTH else f"{text[: MAX_WIDTH - 1]}…"


def _export(store: Store, options: argparse.Namespace) -> int:
    table = store.query(options.sql)
    stages.write(table, options.output)
    print(f"{options.output}: {table.num_rows} rows, {table.num_columns} columns")
    return 0


def _remove(store: Store, options: argparse.Namespace) -> int:
    removed = store.remove(study=options.study, recording=options.recording)
    if options.json:
        print(plain_json.text(removed))
    else:
        print(f"{len(removed)} runs were removed; the recordings themselves are left alone")
    return 0


def _collect(store: Store, options: argparse.Namespace) -> int:
    collected = store.gc()
    if options.json:
        print(plain_json.text(collected))
        return 0
    print(f"{collected.files} files that no run has were deleted, {collected.bytes} bytes")
    for key in collected.runs:
        print(f"run {key.run} of study {key.study}: its files are gone, and it is removed; add it again")
    return 0
