"""The catalogue of a store, `store.duckdb`: opened for one short transaction, or copied into memory to be read."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import duckdb

from gpiorig.capture import confined
from gpiorig.rig.errors import StoreError
from gpiorig.rig.store import locks, place, schema
from gpiorig.rig.store.place import FILE

DAMAGE = re.compile(r"corrupt|checksum|not a valid|FATAL|INTERNAL", re.IGNORECASE)  # in messages of DuckDB
Connection = duckdb.DuckDBPyConnection
Result = TypeVar("Result")


def create(folder: Path) -> None:
    """Make an empty store in a folder; one that is there stays."""
    check_names([folder])
    if _file(folder).exists():
        return
    if "?" in str(folder.resolve()):
        raise StoreError(f"{folder}: DuckDB takes what is after `?` in a path for options; give another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    if any(not _is_ours(path) for path in folder.iterdir()):
        raise StoreError(f"{folder} is not a store, and holds other files; give a new folder, or one of a store.")
    _make(folder)


def check(folder: Path) -> None:
    """Whether a folder is a store, by its catalogue."""
    check_names([folder])
    _file(folder)  # which may not be a link
    place.check(folder)


def _make(folder: Path) -> None:
    """Make the tables of a catalogue that has none."""
    with locks.locked(folder, locks.CATALOGUE, "alone"), _opened(folder) as connection:
        schema.make(connection, folder)


@contextmanager
def transaction(folder: Path) -> Iterator[Connection]:
    """A connection that alone may change the catalogue; its changes are made together at the end, or not at all."""
    with locks.locked(folder, locks.CATALOGUE, "alone"), _opened(folder) as connection:
        schema.make(connection, folder)
        with schema.changing(connection):
            yield connection


def snapshot(folder: Path) -> Connection:
    """The tables of the catalogue as they are now, in a database in memory: no query holds up a writer."""
    check(folder)
    connection = duckdb.connect(":memory:")
    if not _copied(folder, connection):
        _make(folder)
        _copied(folder, connection)
    return connection


def _copied(folder: Path, connection: Connection) -> bool:
    """Copy the tables into a database in memory; False if the catalogue is still empty."""
    source = str(folder / FILE).replace("'", "''")
    with locks.locked(folder, locks.CATALOGUE, "shared"):
        _patiently(lambda: connection.execute(f"ATTACH '{source}' AS catalogue (READ_ONLY)"), folder)
        with _undamaged(folder):
            version = schema.version(connection, folder)
        schema.check(version, folder)
        with _undamaged(folder):
            for name in schema.TABLES if version else ():
                connection.execute(f"CREATE TABLE {name} AS FROM catalogue.{name}")
        connection.execute("DETACH catalogue")
    return version != 0


@contextmanager
def _opened(folder: Path) -> Iterator[Connection]:
    connection = _patiently(lambda: duckdb.connect(str(_file(folder))), folder)
    try:
        with _undamaged(folder):
            yield connection
    finally:
        connection.close()


@contextmanager
def _undamaged(folder: Path) -> Iterator[None]:
    """Turn the errors of a file whose checksums do not match into one that states what to do."""
    try:
        yield
    except duckdb.Error as error:
        if not DAMAGE.search(str(error)):  # such as a full disk
            raise
        raise _damaged(folder, error) from error


def _damaged(folder: Path, error: duckdb.Error) -> StoreError:
    return StoreError(
        f"{folder / FILE} is damaged: {_first_line(error)} Restore it from a copy, or move the folder {folder} away "
        f"and add the recordings again: `gpiorig store add RUN ... -s {folder}`."
    )


def _patiently(opening: Callable[[], Result], folder: Path) -> Result:
    """Open the file, and wait while another program has it open."""
    deadline_s, wait_s = time.monotonic() + locks.PATIENCE_S, locks.FIRST_WAIT_S
    while True:
        try:
            return opening()
        except duckdb.IOException as error:
            if "lock" not in str(error).lower():
                if DAMAGE.search(str(error)):
                    raise _damaged(folder, error) from error
                raise StoreError(f"{folder / FILE} cannot be opened: {_first_line(error)}") from error
            if time.monotonic() > deadline_s:
                raise StoreError(
                    f"{folder / FILE} is open in another program: close it there. {_first_line(error)}"
                ) from error
        except duckdb.Error as error:
            raise _damaged(folder, error) from error
        time.sleep(wait_s)
        wait_s = min(2 * wait_s, locks.MAX_WAIT_S)


def check_names(folders: Iterable[Path]) -> None:
    """Refuse names of stores and recordings that DuckDB cannot take, before anything is done for them."""
    for folder in folders:
        try:
            str(folder.resolve()).encode()
        except UnicodeEncodeError as error:
            raise StoreError(
                f"{folder}: is not UTF-8, and a store takes no other names; rename it, or give another folder."
            ) from error


def _file(folder: Path) -> Path:
    """The file of the catalogue; neither it nor the log that DuckDB writes next to it may be a link."""
    confined.inside(folder, f"{FILE}.wal")
    return confined.inside(folder, FILE)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _is_ours(path: Path) -> bool:
    return path.name.startswith(FILE) or path.name in (locks.CATALOGUE, locks.WRITING)
