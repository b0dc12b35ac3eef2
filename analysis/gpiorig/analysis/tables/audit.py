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
    found = audit.comparisons
    rows: dict[str, Any] = {
        "quantity": _texts(each.quantity for each in found),
        "clock": _texts(each.clock for each in found),
        "n": _counts(each.n for each in found),
        "unmatched": _counts(each.unmatched for each in found),
    }
    for name, by in (("pins", [c.pins for c in found]), ("clock", [c.other for c in found])):
        for field in ("median_ns", "peak_to_peak_ns", "std_ns"):
            rows[f"{name}_{field}"] = _numbers(getattr(each, field) for each in by)
    for field in ERROR_FIELDS:
        rows[f"error_{field}"] = _numbers(getattr(each.error, field) for each in found)
    for name, intervals in (("skew", [c.skew_ns for c in found]), ("added_jitter", [c.added_jitter_ns for c in found])):
        rows[f"{name}_ns"] = _numbers(each.value for each in intervals)
        rows[f"{name}_low_ns"] = _numbers(each.low for each in intervals)
        rows[f"{name}_high_ns"] = _numbers(each.high for each in intervals)
        rows[f"{name}_method"] = _texts(each.method for each in intervals)
        rows[f"{name}_note"] = _texts(each.note for each in intervals)
    return columns.table(rows)


def stages(audit: Audit) -> pa.Table:
    """One row for each stage of the way of a node's lines."""
    rows: dict[str, Any] = {
        "node": _texts(each.node for each in audit.stages),
        "stage": _texts(each.name for each in audit.stages),
    }
    return columns.table(rows | _summaries([each.delay for each in audit.stages]))


def clock_fits(audit: Audit) -> pa.Table:
    """One row for each segment of each fit, or one row that says why there is none.

    `offset_ns` is how far the clock is ahead of the reference at `centre_ns`.
    """
    rows = [(fit, number, segment) for fit in audit.fits for number, segment in enumerate(fit.segments or (None,))]
    found: dict[str, Any] = {
        "clock": _texts(fit.clock for fit, _, _ in rows),
        "reference": _texts(fit.reference for fit, _, _ in rows),
        "method": _texts(fit.method for fit, _, _ in rows),
        "segment": _counts(number if segment else None for _, number, segment in rows),
    }
    for name in ("n", "outliers"):
        found[name] = _counts(getattr(segment, name) if segment else None for _, _, segment in rows)
    for name in ("start_ns", "end_ns", "centre_ns", "residual_std_ns"):
        found[name] = _numbers(getattr(segment, name) if segment else None for _, _, segment in rows)
    for name, column in (("ahead_ns", "offset{}_ns"), ("ppm", "skew{}_ppm"), ("drift_ppm_per_s", "drift{}_ppm_per_s")):
        intervals = [getattr(segment, name) if segment else None for _, _, segment in rows]
        for end in ("value", "low", "high"):
            part = "" if end == "value" else f"_{end}"
            found[column.format(part)] = _numbers(getattr(each, end) if each else None for each in intervals)
    found["resets"] = _counts(fit.resets for fit, _, _ in rows)
    found["backsteps"] = _counts(fit.backsteps for fit, _, _ in rows)
    found["quantisation_ns"] = _numbers(fit.quantisation_ns for fit, _, _ in rows)
    found["note"] = _texts(fit.note for fit, _, _ in rows)
    return columns.table(found)


def stability(audit: Audit) -> pa.Table:
    """One row for each averaging time of each clock."""
    rows = [(each, at) for each in audit.stability for at in range(len(each.taus_s))]
    found: dict[str, Any] = {"clock": _texts(each.clock for each, _ in rows)}
    for column, name in (("tau_s", "taus_s"), ("adev", "adev"), ("tdev_ns", "tdev_ns"), ("mtie_ns", "mtie_ns")):
        found[column] = _numbers(getattr(each, name)[at] for each, at in rows)
    for name in ("n", "missing"):
        found[name] = _counts(getattr(each, name) for each, _ in rows)
    found["note"] = _texts(each.note for each, _ in rows)
    return columns.table(found)


def matchings(audit: Audit) -> pa.Table:
    """One row for each count of what has, and what has not, a partner."""
    rows = [
        (each, reason, count)
        for each in audit.matchings
        for reason, count in {"matched": each.matched, **each.unmatched}.items()
    ]
    return columns.table(
        {
            "node": _texts(each.node for each, _, _ in rows),
            "what": _texts(each.what for each, _, _ in rows),
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


def _summaries(found: Sequence[Summary]) -> dict[str, Any]:
    rows: dict[str, Any] = {"n": _counts(each.n for each in found)}
    for name in Summary.__dataclass_fields__:
        if name not in {"n", "lost"}:
            rows[name] = _numbers(getattr(each, name) for each in found)
    return rows


def _texts(values: Iterable[str]) -> pa.Array:
    return pa.array(list(values), pa.string())


def _counts(values: Iterable[int | None]) -> pa.Array:
    return pa.array(list(values), pa.int64())


def _numbers(values: Iterable[float | None]) -> pa.Array:
    return pa.array([None if value is None else float(value) for value in values], pa.float64())
