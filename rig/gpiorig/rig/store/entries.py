"""Rows of the catalogue, and the statements that read and change them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import duckdb
import msgspec

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.store import catalogue, fingerprint
from gpiorig.rig.store.contents import Key, StoredFile

Connection = duckdb.DuckDBPyConnection
_OF_RUN = "study = ? AND point = ? AND run = ?"


@dataclass(frozen=True, slots=True)
class RecordingRow:
    """A recording that a store knows.

    Attributes
    ----------
    recording
        What names it: the first digits of the fingerprint.
    fingerprint
        See `fingerprint.of`.
    place
        Its folder when it was added, or found again.
    state, experiment, virtual, began
        As in its description.
    samplerate_hz
        Samples per second.
    bytes
        Of its recorded files.
    parameters
        Those of the experiment, as JSON.
    """

    recording: str
    fingerprint: str
    place: str
    state: str
    experiment: str
    virtual: bool | None
    began: str
    samplerate_hz: float
    bytes: int
    parameters: str

    @property
    def is_there(self) -> bool:
        """Whether there is a recording at its place."""
        return (Path(self.place) / "recording.toml").is_file()


@dataclass(frozen=True, slots=True)
class Run:
    """A run in a store: a recording, or that of a point of a study.

    Attributes
    ----------
    key
        What names it.
    recording
        Its recording; None of a point that has none.
    gpiorig
        Version of the program that computed its tables.
    quantities
        Names that were asked for.
    """

    key: Key
    recording: str | None
    gpiorig: str
    quantities: tuple[str, ...] = ()


def row_of(recording: Recording) -> RecordingRow:
    """The row of a recording.

    Raises
    ------
    StoreError
        Its capture still runs; or its folder has a name that is not UTF-8, which DuckDB cannot keep.
    """
    catalogue.check_names([recording.folder])
    info, digits = recording.info, fingerprint.of(recording)
    return RecordingRow(
        recording=fingerprint.identifier(digits),
        fingerprint=digits,
        place=str(recording.folder.resolve()),
        state=recording.state,
        experiment=info.experiment,
        virtual=info.virtual,
        began=info.epoch.wall,
        samplerate_hz=float(info.samplerate_hz),
        bytes=fingerprint.size(recording),
        parameters=msgspec.json.encode(info.parameters, order="sorted").decode(),
    )


def recordings(connection: Connection) -> tuple[RecordingRow, ...]:
    """All recordings, by the time at which they began."""
    names = ", ".join(field.name for field in fields(RecordingRow))
    rows = connection.execute(f"SELECT {names} FROM recordings ORDER BY began, recording").fetchall()
    return tuple(RecordingRow(*row) for row in rows)


def run_of(connection: Connection, key: Key) -> Run | None:
    """The run of a key."""
    sql = f"SELECT recording, gpiorig, quantities FROM runs WHERE {_OF_RUN}"
    rows = connection.execute(sql, [key.study, key.point, key.run]).fetchall()
    return next((Run(key, recording, gpiorig, tuple(names)) for recording, gpiorig, names in rows), None)


def keys(connection: Connection, condition: str, values: Sequence[str]) -> list[Key]:
    """The keys of the runs that meet a condition."""
    return [
        Key(*row)
        for row in connection.execute(f"SELECT study, point, run FROM runs WHERE {condition}", values).fetchall()
    ]


def put_recording(connection: Connection, row: RecordingRow) -> None:
    """Insert a recording, or replace its row."""
    values = [getattr(row, field.name) for field in fields(row)]
    connection.execute(f"INSERT OR REPLACE INTO recordings VALUES ({', '.join('?' * len(values))})", values)


def put_run(connection: Connection, run: Run, files: Sequence[StoredFile]) -> None:
    """Insert a run with its files, or replace it."""
    key = [run.key.study, run.key.point, run.key.run]
    connection.execute("INSERT OR IGNORE INTO studies VALUES (?)", [run.key.study])
    connection.execute(
        "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?)",
        [*key, run.recording, run.gpiorig, list(run.quantities)],
    )
    for file in files:
        values = [getattr(file, field.name) for field in fields(file)]
        connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [*key, *values])


def put_point(
    connection: Connection, key: Key, repeat: int, state: str, reason: str, coordinates: Mapping[str, object]
) -> None:
    """Insert a point, or replace its row."""
    values = [key.study, key.point, repeat, state, reason, json.dumps(dict(coordinates), allow_nan=False)]
    connection.execute("INSERT OR IGNORE INTO studies VALUES (?)", [key.study])
    connection.execute("INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?, ?, ?)", values)


def take_files(connection: Connection, key: Key) -> list[str]:
    """Forget the files of a run; their paths."""
    values = [key.study, key.point, key.run]
    paths = [path for (path,) in connection.execute(f"SELECT path FROM files WHERE {_OF_RUN}", values).fetchall()]
    connection.execute(f"DELETE FROM files WHERE {_OF_RUN}", values)
    return paths


def take_run(connection: Connection, key: Key) -> list[str]:
    """Forget a run with its files, and what only it needs; the paths of the files."""
    paths = take_files(connection, key)
    connection.execute(f"DELETE FROM runs WHERE {_OF_RUN}", [key.study, key.point, key.run])
    return paths


def sweep(connection: Connection) -> None:
    """Forget recordings and studies that nothing refers to."""
    connection.execute(
        "DELETE FROM recordings WHERE recording NOT IN (SELECT recording FROM runs WHERE recording IS NOT NULL)"
    )
    connection.execute("DELETE FROM studies WHERE study NOT IN (SELECT study FROM runs UNION SELECT study FROM points)")
