"""SQL over a store: views of the Parquet files that are registered, and of the axes of studies as columns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pyarrow as pa

from gpiorig.rig import signals
from gpiorig.rig.errors import StoreError
from gpiorig.rig.store import catalogue, contents, schema
from gpiorig.rig.store.schema import FOLDER

AXES, RESULTS = "axes", "results"
KEYS = "study, point, run"
TAKEN = frozenset(
    "study point run repeat state experiment virtual recording quantity node packet_row packet_id start_sample samples "
    "held_samples value unit".split()
)  # columns that an axis of the same name has `axis` before


def answer(store: Path, sql: str) -> pa.Table:
    """The result of one SELECT over the present state of the store.

    The connection is one in memory: it has the tables of the catalogue, and may read the store's Parquet files and no
    other file. Nothing that it could change is kept.

    Raises
    ------
    StoreError
        The SQL cannot be answered, with DuckDB's message; or it is not one SELECT.
    """
    try:
        return _answer(store, sql)
    except duckdb.IOException:  # a run was replaced or removed meanwhile: its files are gone, the catalogue has changed
        try:
            return _answer(store, sql)
        except duckdb.IOException as error:
            raise StoreError(
                f"{store}: {str(error).splitlines()[0]} `gpiorig store gc -s {store}` removes what has no files."
            ) from error


def _answer(store: Path, sql: str) -> pa.Table:
    with catalogue.snapshot(store) as connection:
        try:
            _check(connection, sql)
            names = define(connection, store, sql)
            _confine(connection, store)
            with signals.calling(connection.interrupt):  # its threads do not look for signals
                return connection.sql(sql).to_arrow_table()
        except (duckdb.IOException, duckdb.InterruptException):
            raise
        except duckdb.CatalogException as error:
            raise StoreError(f"SQL: {error}\nThis store has the tables {', '.join(names)}.") from error
        except duckdb.Error as error:
            raise StoreError(f"SQL: {_with_place(connection, sql, error)}") from error


def _with_place(connection: catalogue.Connection, sql: str, error: duckdb.Error) -> duckdb.Error:
    """The same error with the line and the place in it, which only `execute` gives."""
    try:
        connection.execute(sql)
    except duckdb.Error as placed:
        return placed
    return error


def _check(connection: catalogue.Connection, sql: str) -> None:
    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise StoreError(
            "SQL: a query of a store is one SELECT (or FROM, WITH, DESCRIBE, SUMMARIZE, SHOW); it changes nothing."
        )


def _confine(connection: catalogue.Connection, store: Path) -> None:
    """Take from a connection what it does not need: other files, extensions, settings."""
    connection.execute(f"SET allowed_directories = [{_text(str((store / FOLDER).resolve()) + '/')}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def define(connection: catalogue.Connection, store: Path, sql: str) -> list[str]:
    """Make the views that a query names, all of them if it names none; the names of all tables and views."""
    tables, paths = (store / FOLDER).resolve(), dict[str, dict[str, list[str]]]()
    for content, columns, path in connection.execute(
        "SELECT content, columns, path FROM files ORDER BY ALL"
    ).fetchall():
        files = paths.setdefault(content, {}).setdefault(columns, [])
        place = str(tables / schema.table_file(store, path).relative_to(store / FOLDER))
        files.append(_text(re.sub(r"[\[*?]", r"[\g<0>]", place)))  # a list of files is a list of patterns
    view_names = [*paths, AXES, *([RESULTS] if contents.QUANTITIES in paths else [])]
    named = {name for name in (*view_names, *schema.TABLES) if re.search(rf"\b{name}\b", sql, re.IGNORECASE)} or {
        *view_names
    }
    if RESULTS in named:
        named |= {contents.QUANTITIES, AXES}
    for content in (name for name in paths if name in named):
        parts = [
            f"FROM read_parquet([{', '.join(files)}], hive_partitioning = true, hive_types_autocast = false)"
            for files in paths[content].values()
        ]
        union = " UNION ALL BY NAME ".join(parts)
        connection.execute(f"CREATE VIEW {content} AS SELECT * EXCLUDE ({KEYS}), {KEYS} FROM ({union})")
    if AXES in named:
        _define_axes(connection)
    if RESULTS in named:
        connection.execute(
            f"CREATE VIEW {RESULTS} AS SELECT q.*, a.* EXCLUDE (study, point), r.recording, c.experiment, c.virtual "
            f"FROM {contents.QUANTITIES} q LEFT JOIN {AXES} a USING (study, point) "
            "JOIN runs r USING (study, point, run) LEFT JOIN recordings c ON c.recording = r.recording"
        )
    return sorted({*schema.TABLES, *view_names})


def _define_axes(connection: catalogue.Connection) -> None:
    """The points with a column for each axis of any study: numbers, truth values, or else text."""
    kinds: dict[str, set[type]] = {}
    for (text,) in connection.execute("SELECT DISTINCT axes FROM points").fetchall():
        for name, value in json.loads(text).items():
            kinds.setdefault(name, set()).add(type(value))
    used = {*TAKEN}
    columns = ""
    for name in sorted(kinds, key=str.swapcase):  # lower case first
        column = name
        while column.lower() in used:  # SQL does not distinguish upper and lower case
            column = f"axis {column}"
        used.add(column.lower())
        value = f"CAST(json_extract_string(axes, {_text(_pointer(name))}) AS {_sql_type(kinds[name])})"
        columns += f", {value} AS {_identifier(column)}"
    connection.execute(f"CREATE VIEW {AXES} AS SELECT study, point, repeat, state{columns} FROM points")


def _sql_type(kinds: set[type]) -> str:
    if kinds <= {bool}:
        return "BOOLEAN"
    return "DOUBLE" if kinds <= {int, float} else "VARCHAR"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _pointer(name: str) -> str:
    """A name as a JSON pointer (RFC 6901)."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
