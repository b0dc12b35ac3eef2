"""What was done with a recording, and its rows in the tables of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpiorig.rig.results.headline import STATISTICS

Row = Mapping[str, Any]
DELAYS = tuple(f"{name}_ms" for name in STATISTICS)
RUN_NUMBERS = ("events", "damaged", "packets_sent", "packets_timelined", "lost", "retries", "duplicates")


@dataclass(frozen=True, slots=True)
class Done:
    """A recording that was processed.

    Attributes
    ----------
    run
        The recording.
    fingerprint
        Its sum, `places.fingerprint`.
    asked
        What was done with it, and by which versions.
    description
        Name of its experiment, whether its bench is virtual, its state.
    numbers
        The headline numbers, as those of `gpiorig report --json`.
    checks
        The checks that failed.
    results
        Where its tables and its report are.
    """

    run: str
    fingerprint: str
    asked: Mapping[str, Any]
    description: Mapping[str, Any]
    numbers: Mapping[str, Any]
    checks: tuple[str, ...]
    results: str


@dataclass(frozen=True, slots=True)
class Processed:
    """What comes back from a worker: as little as the tables need, for there may be many.

    Attributes
    ----------
    run
        The recording.
    unchanged
        Whether earlier results were kept.
    checks
        The checks that failed.
    rows
        Its rows by table.
    """

    run: str
    unchanged: bool
    checks: tuple[str, ...]
    rows: Mapping[str, Sequence[Row]]


def rows(done: Done) -> dict[str, list[dict[str, Any]]]:
    """The rows of a recording by table."""
    return {"runs": [_run(done)], "routes": _routes(done), "quantities": _quantities(done)}


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
