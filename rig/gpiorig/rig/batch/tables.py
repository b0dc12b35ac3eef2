"""The tables of a batch: headline numbers of all recordings, their routes, their quantities; in the order given."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from gpiorig.capture.text.cells import guarded_columns
from gpiorig.rig.batch.places import Output
from gpiorig.rig.batch.work import Done
from gpiorig.rig.results.summary import STATISTICS

TEXT, COUNT, NUMBER, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()
RUN_NUMBERS = ("events", "damaged", "packets_sent", "packets_timelined", "lost", "retries", "duplicates")
DELAYS = tuple(f"{name}_ms" for name in STATISTICS)
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


def write(output: Output, processed: Sequence[Done], failed: Mapping[str, str], order: Sequence[str]) -> dict[str, str]:
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
    by_run = {done.run: done for done in processed}
    failures = {run: {"run": run, "outcome": "failed", "error": error} for run, error in failed.items()}
    rows = [_run(by_run[run]) if run in by_run else failures[run] for run in order]
    done = [by_run[run] for run in order if run in by_run]
    contents = {
        "runs": pa.Table.from_pylist(rows, RUNS),
        "routes": pa.Table.from_pylist([row for one in done for row in _routes(one)], ROUTES),
        "quantities": pa.Table.from_pylist([row for one in done for row in _quantities(one)], QUANTITIES),
    }
    for name, content in contents.items():
        output.write(f"{name}.parquet", _parquet(content))
        output.write(f"{name}.csv", _csv(content))
    errors = [{"run": run, "error": failed[run]} for run in order if run in failed]
    output.write("errors.json", json.dumps(errors, indent=1, ensure_ascii=False).encode())
    return {name: output.path(f"{name}.parquet") for name in contents} | {"errors": output.path("errors.json")}


def _run(done: Done) -> dict[str, Any]:
    """A row of `RUNS`: numbers of the recording, and the delays of its first route."""
    numbers, routes = done.numbers, _routes(done)
    main = {name: value for name, value in routes[0].items() if name in ("route", *DELAYS)} if routes else {}
    return {
        **{name: done.description.get(name) for name in ("experiment", "virtual", "state")},
        **{name: numbers.get(name) for name in ("app", "seed", *RUN_NUMBERS)},
        **main,
        "run": done.run,
        "outcome": "done",
        "failed_checks": len(done.checks),
        "checks": "; ".join(done.checks),
        "results": done.results,
    }


def _routes(done: Done) -> list[dict[str, Any]]:
    return [
        {
            **{name: route[name] for name in ("route", "packets", "lost", "partial")},
            **{f"{name}_ms": value for name, value in route["delay_ms"].items()},
            "run": done.run,
        }
        for route in done.numbers.get("routes", ())
    ]


def _quantities(done: Done) -> list[dict[str, Any]]:
    return [{**row, "run": done.run} for row in done.numbers.get("quantities", ())]


def _parquet(content: pa.Table) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(content, file, compression="zstd", version="2.6")
    return file.getvalue()


def _csv(content: pa.Table) -> bytes:
    file = io.BytesIO()
    pyarrow.csv.write_csv(guarded_columns(content), file)
    return file.getvalue()
