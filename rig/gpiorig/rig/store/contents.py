"""The tables of a run in a store: which ones, how they are computed, and their Parquet files."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.quantities import values
from gpiorig.analysis.tables import registry, stages
from gpiorig.capture import confined
from gpiorig.rig.errors import StoreError
from gpiorig.rig.recordings.opened import Opened
from gpiorig.rig.results import quantities
from gpiorig.rig.store.schema import FOLDER, signature

QUANTITIES = "quantities"
STAGES = ("packets", "round_trips", "hops", "steps")
NONE = "-"  # study and point of a recording outside studies
NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")


@dataclass(frozen=True, slots=True)
class Key:
    """What names a run in a store."""

    study: str
    point: str
    run: str

    def __post_init__(self) -> None:
        for field, name in (("study", self.study), ("point", self.point), ("run", self.run)):
            if not NAME.fullmatch(name) or set(name) == {"."}:
                raise StoreError(f"{name!r} cannot name a {field}: use letters, digits, `.`, `_` and `-`, at most 100.")

    @property
    def folder(self) -> str:
        """Of its files below each table, as Hive names partitions."""
        return f"study={self.study}/point={self.point}/run={self.run}"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A Parquet file of a store; `path` is below the folder `tables`, `columns` its `schema.signature`."""

    content: str
    path: str
    row_count: int
    bytes: int
    columns: str


class Draft:
    """Files of a run that are not registered yet; no query reads them.

    Parameters
    ----------
    store
        Folder of the store.
    key
        The run.

    Attributes
    ----------
    files
        Those that were written.
    """

    def __init__(self, store: Path, key: Key) -> None:
        self._store, self._tables, self._key = store, store / FOLDER, key
        self._token = uuid.uuid4().hex[:12]
        self.files: list[StoredFile] = []

    def add_analysis(self, analysis: Analysis) -> None:
        """Write the tables of packets and steps that the analysis has."""
        for stage in registry.TABLES:
            parts = stage.parts(analysis, None) if stage.name in STAGES else None
            if parts is not None:
                path = self._path(stage.name)
                stages.write_parts(parts[1], parts[0], path)
                self._written(stage.name, path)

    def add_quantities(self, source: pa.Table | Path) -> None:
        """Write the table of quantities, or copy its file."""
        path = self._path(QUANTITIES)
        if isinstance(source, Path):
            shutil.copyfile(source, path)
        else:
            stages.write(source, path)
        self._written(QUANTITIES, path)

    def discard(self) -> None:
        """Delete the files."""
        delete(self._tables / file.path for file in self.files)

    def _path(self, content: str) -> Path:
        folder = confined.subfolder(self._store, f"{FOLDER}/{content}/{self._key.folder}")
        return folder / f"{self._token}.parquet"

    def _written(self, content: str, path: Path) -> None:
        _sync(path)
        _sync(path.parent)
        rows, place = pa.parquet.read_metadata(path).num_rows, path.relative_to(self._tables).as_posix()
        self.files.append(StoredFile(content, place, rows, path.stat().st_size, signature(path)))


def delete(files: Iterable[Path]) -> None:
    """Delete table files; folders that are empty then stay until `gc`, for a writer may need them now."""
    for file in files:
        file.unlink(missing_ok=True)


def quantities_of(opened: Opened, analysis: Analysis, names: Sequence[str] = ()) -> tuple[pa.Table, tuple[str, ...]]:
    """The quantities named here, else those of the experiment, else those of general use; and what is not shown.

    Raises
    ------
    QuantityError
        A name cannot be understood.
    """
    source = quantities.recorded(opened, analysis)
    asked = tuple(names) or quantities.checked(opened.recording)
    if not asked:
        return values.table(values.default_series(source), analysis), ()
    series, lacking = quantities.computed(asked, source)
    return values.table(series, analysis), tuple(lacking)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
