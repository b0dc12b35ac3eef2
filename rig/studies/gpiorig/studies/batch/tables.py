"""The tables of a batch: headline numbers of all recordings, their routes, their quantities; in the order given."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from gpiorig.capture.atomic_file import utf8
from gpiorig.capture.text.cells import guarded_columns
from gpiorig.studies.batch.places import Output
from gpiorig.studies.batch.rows import DELAYS, RUN_NUMBERS, Processed, Row

TEXT, COUNT, NUMBER, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()
RUNS = pa.schema(
    [("run", TEXT), ("outcome", TEXT), ("experiment", TEXT), ("app", TEXT), ("virtual", FLAG), ("seed", COUNT)]
    + [("state", TEXT)]
    + [(name, COUNT) for name in RUN_NUMBERS]
    + [("route", TEXT)]
    + [(name, NUMBER) for name in DELAYS]
    + [("failed_checks", COUNT), ("checks", TEXT), ("error", TEXT), ("results", TEXT)]
)
ROUTES = pa.schema(
    [("run", TEXT), ("route", TEXT), ("packets", COUNT), ("lost", COUNT), ("partial", COUNT)]
    + [(name, NUMBER) for name in DELAYS]
)
QUANTITIES = pa.schema(
    [("run", TEXT), ("quantity", TEXT), ("node", TEXT), ("unit", TEXT), ("n", COUNT), ("lacking", COUNT)]
    + [(name, NUMBER) for name in ("value", "min", "median", "mean", "p99", "max")]
)


SCHEMAS = {"runs": RUNS, "routes": ROUTES, "quantities": QUANTITIES}
PLACE = "place"  # of a recording in the order of the rows
LATEST = 256  # recordings whose rows are turned into columns together


class Rows:
    """The rows of a batch as its recordings end: in columns, but for those of the last few.

    As Python's objects the rows of ten thousand recordings take 100 MB.

    Parameters
    ----------
    order
        All recordings, in the order of the rows.
    """

    def __init__(self, order: Sequence[str]) -> None:
        self._places = {run: place for place, run in enumerate(order)}
        self._latest: list[tuple[int, Mapping[str, Sequence[Row]]]] = []
        self._columns: dict[str, list[pa.Table]] = {
            name: [_with_place(schema).empty_table()] for name, schema in SCHEMAS.items()
        }

    def add(self, processed: Processed) -> None:
        """Add a recording that was processed."""
        self._add(processed.run, processed.rows)

    def add_failed(self, run: str, error: str) -> None:
        """Add one that failed."""
        self._add(run, {"runs": [{"run": run, "outcome": "failed", "error": error}]})

    def table(self, name: str) -> pa.Table:
        """Take all rows of a table, in order."""
        self._to_columns()
        return pa.concat_tables(self._columns.pop(name)).sort_by(PLACE).drop_columns(PLACE).combine_chunks()

    def _add(self, run: str, rows: Mapping[str, Sequence[Row]]) -> None:
        self._latest.append((self._places[run], rows))
        if len(self._latest) == LATEST:
            self._to_columns()

    def _to_columns(self) -> None:
        if not self._latest:
            return
        for name, schema in SCHEMAS.items():
            rows = [{PLACE: place, **_utf8(row)} for place, of_run in self._latest for row in of_run.get(name, ())]
            self._columns[name].append(pa.Table.from_pylist(rows, _with_place(schema)))
        self._latest.clear()


def write(output: Output, rows: Rows, failed: Mapping[str, str]) -> dict[str, str]:
    """Write runs, routes and quantities as Parquet and CSV, and the errors as JSON; returns the paths.

    Parameters
    ----------
    output
        Where to.
    rows
        Of all recordings.
    failed
        Errors by recording, in the order of the rows.
    """
    for name in SCHEMAS:
        content = rows.table(name)
        output.write(f"{name}.parquet", _parquet(content))
        output.write(f"{name}.csv", _csv(content))
    errors = [{"run": run, "error": error} for run, error in failed.items()]
    output.write("errors.json", json.dumps(errors, indent=1, ensure_ascii=False).encode(errors="backslashreplace"))
    return {name: output.path(f"{name}.parquet") for name in SCHEMAS} | {"errors": output.path("errors.json")}


def _with_place(schema: pa.Schema) -> pa.Schema:
    return schema.append(pa.field(PLACE, COUNT))


def _utf8(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with escapes for bytes of names that are not UTF-8."""
    return {name: utf8(value) if isinstance(value, str) else value for name, value in row.items()}


def _parquet(content: pa.Table) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(content, file, compression="zstd", version="2.6")
    return file.getvalue()


def _csv(content: pa.Table) -> bytes:
    file = io.BytesIO()
    pyarrow.csv.write_csv(guarded_columns(content), file)
    return file.getvalue()
