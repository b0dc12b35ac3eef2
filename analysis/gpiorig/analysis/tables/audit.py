"""The audit as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from gpiorig.analysis import columns
from gpiorig.analysis.audit.audit import Audit
from gpiorig.analysis.statistics.summary import Summary

ERROR_FIELDS = ("min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns", "mean_ns", "peak_to_peak_ns", "std_ns")


def comparisons(audit: Audit) -> pa.Table:
    """One row for each quantity by each clock."""
    compared = audit.comparisons
    rows: dict[str, Any] = {
        "quantity": _texts(row.quantity for row in compared),
        "clock": _texts(row.clock for row in compared),
        "n": _counts(row.n for row in compared),
        "unmatched": _counts(row.unmatched for row in compared),
    }
    for name, by in (("pins", [c.pins for c in compared]), ("clock", [c.other for c in compared])):
        for field in ("median_ns", "peak_to_peak_ns", "std_ns"):
            rows[f"{name}_{field}"] = _numbers(getattr(summary, field) for summary in by)
    for field in ERROR_FIELDS:
        rows[f"error_{field}"] = _numbers(getattr(row.error, field) for row in compared)
    for name, intervals in (
        ("skew", [c.skew_ns for c in compared]),
        ("added_jitter", [c.added_jitter_ns for c in compared]),
    ):
        rows[f"{name}_ns"] = _numbers(interval.value for interval in intervals)
        rows[f"{name}_low_ns"] = _numbers(interval.low for interval in intervals)
        rows[f"{name}_high_ns"] = _numbers(interval.high for interval in intervals)
        rows[f"{name}_method"] = _texts(interval.method for interval in intervals)
        rows[f"{name}_note"] = _texts(interval.note for interval in intervals)
    return columns.table(rows)


def stages(audit: Audit) -> pa.Table:
    """One row for each stage of a node's lines."""
    rows: dict[str, Any] = {
        "node": _texts(stage.node for stage in audit.stages),
        "stage": _texts(stage.name for stage in audit.stages),
    }
    return columns.table(rows | _summaries([stage.delay for stage in audit.stages]))


def clock_fits(audit: Audit) -> pa.Table:
    """One row for each segment of each fit, or one row with the reason for no segment.

    `offset_ns` is clock minus reference at `centre_ns`.
    """
    rows = [(fit, number, segment) for fit in audit.fits for number, segment in enumerate(fit.segments or (None,))]
    columns_of: dict[str, Any] = {
        "clock": _texts(fit.clock for fit, _, _ in rows),
        "reference": _texts(fit.reference for fit, _, _ in rows),
        "method": _texts(fit.method for fit, _, _ in rows),
        "segment": _counts(number if segment else None for _, number, segment in rows),
    }
    for name in ("n", "outliers"):
        columns_of[name] = _counts(getattr(segment, name) if segment else None for _, _, segment in rows)
    for name in ("start_ns", "end_ns", "centre_ns", "residual_std_ns"):
        columns_of[name] = _numbers(getattr(segment, name) if segment else None for _, _, segment in rows)
    for name, column in (("ahead_ns", "offset{}_ns"), ("ppm", "skew{}_ppm"), ("drift_ppm_per_s", "drift{}_ppm_per_s")):
        intervals = [getattr(segment, name) if segment else None for _, _, segment in rows]
        for end in ("value", "low", "high"):
            part = "" if end == "value" else f"_{end}"
            columns_of[column.format(part)] = _numbers(
                getattr(interval, end) if interval else None for interval in intervals
            )
    columns_of["resets"] = _counts(fit.resets for fit, _, _ in rows)
    columns_of["backsteps"] = _counts(fit.backsteps for fit, _, _ in rows)
    columns_of["quantisation_ns"] = _numbers(fit.quantisation_ns for fit, _, _ in rows)
    columns_of["note"] = _texts(fit.note for fit, _, _ in rows)
    return columns.table(columns_of)


def stability(audit: Audit) -> pa.Table:
    """One row for each averaging time of each clock."""
    rows = [(clock, at) for clock in audit.stability for at in range(len(clock.taus_s))]
    columns_of: dict[str, Any] = {"clock": _texts(clock.clock for clock, _ in rows)}
    for column, name in (("tau_s", "taus_s"), ("adev", "adev"), ("tdev_ns", "tdev_ns"), ("mtie_ns", "mtie_ns")):
        columns_of[column] = _numbers(getattr(clock, name)[at] for clock, at in rows)
    for name in ("n", "missing"):
        columns_of[name] = _counts(getattr(clock, name) for clock, _ in rows)
    columns_of["note"] = _texts(clock.note for clock, _ in rows)
    return columns.table(columns_of)


def matchings(audit: Audit) -> pa.Table:
    """One row for each count of entries with and without a partner."""
    rows = [
        (matching, reason, count)
        for matching in audit.matchings
        for reason, count in {"matched": matching.matched, **matching.unmatched}.items()
    ]
    return columns.table(
        {
            "node": _texts(matching.node for matching, _, _ in rows),
            "what": _texts(matching.what for matching, _, _ in rows),
            "reason": _texts(reason for _, reason, _ in rows),
            "count": _counts(count for _, _, count in rows),
        }
    )


def everything(audit: Audit) -> Mapping[str, pa.Table]:
    """All tables, by the name of their file."""
    return {
        "audit": comparisons(audit),
        "serial_stages": stages(audit),
        "clocks": clock_fits(audit),
        "stability": stability(audit),
        "matchings": matchings(audit),
    }


def _summaries(summaries: Sequence[Summary]) -> dict[str, Any]:
    rows: dict[str, Any] = {"n": _counts(summary.n for summary in summaries)}
    for name in Summary.__dataclass_fields__:
        if name not in {"n", "lost"}:
            rows[name] = _numbers(getattr(summary, name) for summary in summaries)
    return rows


def _texts(values: Iterable[str]) -> pa.Array:
    return pa.array(list(values), pa.string())


def _counts(values: Iterable[int | None]) -> pa.Array:
    return pa.array(list(values), pa.int64())


def _numbers(values: Iterable[float | None]) -> pa.Array:
    return pa.array([None if value is None else float(value) for value in values], pa.float64())
