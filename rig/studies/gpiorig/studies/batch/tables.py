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
from gpiorig.studies.batch.rows import DELAYS, RUN_NUMBERS, Processed

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


def write(
    output: Output, processed: Sequence[Processed], failed: Mapping[str, str], order: Sequence[str]
) -> dict[str, str]:
    """Write runs, routes and quantities as Parquet and CSV, and the errors as JSON; returns the paths.

    Parameters
    ----------
    output
        Where to.
    processed
        The recordings that were processed, in any order.
    failed
        Errors by recording.
    order
        All recordings, in the order of the rows.
    """
    rows = {one.run: one.rows for one in processed}
    rows |= {run: {"runs": [{"run": run, "outcome": "failed", "error": error}]} for run, error in failed.items()}
    contents = {
        name: pa.Table.from_pylist([_utf8(row) for run in order for row in rows[run].get(name, ())], schema)
        for name, schema in SCHEMAS.items()
    }
    for name, content in contents.items():
        output.write(f"{name}.parquet", _parquet(content))
        output.write(f"{name}.csv", _csv(content))
    errors = [{"run": run, "error": failed[run]} for run in order if run in failed]
    output.write("errors.json", json.dumps(errors, indent=1, ensure_ascii=False).encode(errors="backslashreplace"))
    return {name: output.path(f"{name}.parquet") for name in contents} | {"errors": output.path("errors.json")}


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
