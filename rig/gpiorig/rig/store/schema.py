"""The schema of the catalogue: its tables and its version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version as installed_version
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet

from gpiorig.capture import confined
from gpiorig.capture.errors import FormatError
from gpiorig.rig.errors import StoreError

FOLDER = "tables"  # of the Parquet files
TABLES = ("studies", "points", "recordings", "runs", "files")

VERSION = 2
SCHEMA = """
CREATE TABLE schema_version (version INTEGER, gpiorig VARCHAR);
CREATE TABLE studies (study VARCHAR PRIMARY KEY);
CREATE TABLE points (
    study VARCHAR, point VARCHAR, repeat INTEGER, state VARCHAR, reason VARCHAR, axes JSON, PRIMARY KEY (study, point)
);
CREATE TABLE recordings (
    recording VARCHAR PRIMARY KEY, fingerprint VARCHAR, place VARCHAR, state VARCHAR, experiment VARCHAR,
    virtual BOOLEAN, began VARCHAR, samplerate_hz DOUBLE, bytes BIGINT, parameters JSON
);
CREATE TABLE runs (
    study VARCHAR, point VARCHAR, run VARCHAR, recording VARCHAR, gpiorig VARCHAR, quantities VARCHAR[],
    PRIMARY KEY (study, point, run)
);
CREATE TABLE files (
    study VARCHAR, point VARCHAR, run VARCHAR, content VARCHAR, path VARCHAR, row_count BIGINT, bytes BIGINT,
    columns VARCHAR
);
"""


def table_file(folder: Path, path: str, *, changed: bool = False) -> Path:
    """The file of a table that the catalogue names; `changed`: it is written or deleted, and so no link leads there.

    Raises
    ------
    StoreError
        It is not below the tables of the store.
    FormatError
        The folder of the tables is a link.
    """
    tables = confined.inside(folder, FOLDER) if changed else folder / FOLDER
    try:
        return confined.inside(tables, path) if changed else confined.below(tables, path)
    except FormatError as error:
        raise StoreError(
            f"{folder}: its catalogue names a file that is not one of its tables ({error.where}: {error.what}). "
            f"`gpiorig store gc -s {folder}` forgets the runs of such files; nothing outside of the store is deleted."
        ) from error


def signature(file: Path) -> str:
    """What is equal for Parquet files with the same columns and types."""
    columns = pa.parquet.read_schema(file).remove_metadata().to_string()
    return hashlib.sha256(columns.encode()).hexdigest()[:8]


def version(connection: duckdb.DuckDBPyConnection, folder: Path) -> int:
    """The version of an open catalogue, 0 for an empty file.

    Raises
    ------
    StoreError
        It is a DuckDB file of something else.
    """
    names = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if "schema_version" not in names:
        if names:
            raise StoreError(f"{folder}: store.duckdb has tables that are not those of a store; give another folder.")
        return 0
    [[database]] = connection.execute(
        "SELECT database_name FROM duckdb_tables() WHERE table_name = 'schema_version'"
    ).fetchall()
    [[number]] = connection.execute(f"SELECT max(version) FROM {database}.schema_version").fetchall()
    return int(number)


def check(number: int, folder: Path) -> None:
    """Refuse a catalogue of another version of the program."""
    if number not in (0, VERSION):
        raise StoreError(
            f"{folder}: the store has schema {number}, and this gpiorig uses schema {VERSION}. Use the gpiorig that "
            "made it, or add the recordings to a store in another folder."
        )


def make(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Make the tables of an empty catalogue, in one transaction; others are left unchanged."""
    number = version(connection, folder)
    check(number, folder)
    if number == 0:
        with changing(connection):
            connection.execute(SCHEMA)
            connection.execute("INSERT INTO schema_version VALUES (?, ?)", [VERSION, installed_version("gpiorig")])


@contextmanager
def changing(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """A transaction: all its changes are made, or none."""
    connection.begin()
    try:
        yield
        connection.commit()
    except BaseException:
        with suppress(duckdb.TransactionException):  # a commit that failed has ended it
            connection.rollback()
        raise
