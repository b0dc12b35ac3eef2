"""The table of all points of an output folder, `points.parquet`, and the studies that it has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gpiorig.capture.atomic_file import replacing
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import RigError
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.points.points import Conditions

TABLE, STUDIES = "points.parquet", "studies.json"
_SCHEMA = pa.schema(
    [
        ("study", pa.string()),
        ("digest", pa.string()),
        ("coordinates", pa.string()),
        ("repeat", pa.int32()),
        ("state", pa.string()),
        ("reason", pa.string()),
        ("virtual", pa.bool_()),
    ]
)


SHARED = ("place", "is_remote", "judged", "repeats", "passes")  # what conditions and an entry have in common


class Entry(msgspec.Struct, frozen=True):
    """How a study was run the last time: its file, or that of its plan, and the options that its points hang on."""

    file: str
    quick: bool = False
    bench: str = ""
    images: dict[str, str] = {}
    place: str = ""
    is_remote: bool = False
    judged: bool = True
    repeats: int = 1
    passes: int = 1

    def conditions(self) -> Conditions:
        """The conditions of its points."""
        return Conditions(
            quick=self.quick,
            bench=benches.load(Path(self.bench)) if self.bench else None,
            bench_file=Path(self.bench),
            images={name: Path(path) for name, path in self.images.items()},
            **{key: getattr(self, key) for key in SHARED},
        )


def rows(results: StudyResults) -> list[dict[str, Any]]:
    """A row per point."""
    return [
        {
            "study": results.name,
            "digest": point.digest,
            "coordinates": json.dumps(dict(point.coordinates), ensure_ascii=False),
            "repeat": point.repeat,
            "state": point.state,
            "reason": point.reason,
            "virtual": point.virtual,
        }
        for point in results.points
    ]


def write(output: Path, results: StudyResults) -> None:
    """Put the points of a study in the place of its earlier ones; studies are in the order of their names."""
    path = output / TABLE
    new = pa.Table.from_pylist(rows(results), schema=_SCHEMA)
    parts = {results.name: new}
    if path.is_file():
        old = _content(path)
        for name in pc.unique(old["study"]).to_pylist():
            parts.setdefault(name, old.filter(pc.equal(old["study"], name)))
    with replacing(path) as file:
        pq.write_table(pa.concat_tables([parts[name] for name in sorted(parts)]), file)


def entries(output: Path) -> dict[str, Entry]:
    """The studies that were run into a folder, by name; empty if there are none."""
    path = output / STUDIES
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Entry])
    except FileNotFoundError:
        return {}
    except msgspec.MsgspecError as error:
        raise RigError(f"{path}: {error}. Delete it, and name the study files.") from error


def enter(output: Path, name: str, entry: Entry) -> None:
    """Note how a study is run."""
    with replacing(output / STUDIES) as file:
        content = entries(output) | {name: entry}
        file.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(content.items()))), indent=1))


def read(output: Path) -> list[dict[str, Any]]:
    """The rows of all studies, as `rows`."""
    content: list[dict[str, Any]] = _content(output / TABLE).to_pylist()
    return content


def _content(path: Path) -> pa.Table:
    try:
        with path.open("rb") as file:
            return pq.read_table(file, schema=_SCHEMA)
    except (pa.ArrowException, OSError) as error:
        raise RigError(
            f"{path}: cannot be read: {error}. Delete it; `gpiorig study report` writes it again."
        ) from error


def entry_of(file: Path, conditions: Conditions) -> Entry:
    """How a study is run, with complete paths."""
    return Entry(
        file=str(file.absolute()),
        quick=conditions.quick,
        bench=str(conditions.bench_file.absolute()) if conditions.bench is not None else "",
        images={name: str(path) for name, path in sorted(conditions.images.items())},
        **{key: getattr(conditions, key) for key in SHARED},
    )


def summary(results: Sequence[StudyResults]) -> dict[str, int]:
    """Number of points in each state."""
    states = [point.state for study in results for point in study.points]
    return {state: states.count(state) for state in sorted(set(states))}
