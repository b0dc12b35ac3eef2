"""The audit as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from gpiorig.analysis.audit.audit import Audit
from gpiorig.analysis.clocks.fit import Segment
from gpiorig.analysis.columns import of_rows
from gpiorig.analysis.statistics.summary import Summary

COMPARED = ("median_ns", "peak_to_peak_ns", "std_ns")
ERROR_FIELDS = ("min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns", "mean_ns", "peak_to_peak_ns", "std_ns")
_SEGMENT_NS = ("start_ns", "end_ns", "centre_ns", "residual_std_ns")
_SEGMENT_INTERVALS = (
    ("ahead_ns", "offset", "_ns"),
    ("ppm", "skew", "_ppm"),
    ("drift_ppm_per_s", "drift", "_ppm_per_s"),
)


def comparisons(audit: Audit) -> pa.Table:
    """One row for each quantity by each clock."""
    rows = []
    for compared in audit.comparisons:
        row: dict[str, Any] = {name: getattr(compared, name) for name in ("quantity", "clock", "n", "unmatched")}
        for prefix, summary, fields in (
            ("pins", compared.pins, COMPARED),
            ("clock", compared.other, COMPARED),
            ("error", compared.error, ERROR_FIELDS),
        ):
            row |= {f"{prefix}_{field}": getattr(summary, field) for field in fields}
        for name, interval in (("skew", compared.skew_ns), ("added_jitter", compared.added_jitter_ns)):
            row |= interval.columns(name, unit="_ns")
            row |= {f"{name}_method": interval.method, f"{name}_note": interval.note}
        rows.append(row)
    return of_rows(rows)


def stages(audit: Audit) -> pa.Table:
    """One row for each stage of a node's lines."""
    fields = ["n", *(name for name in Summary.__dataclass_fields__ if name not in {"n", "lost"})]
    return of_rows(
        [
            {"node": stage.node, "stage": stage.name} | {name: getattr(stage.delay, name) for name in fields}
            for stage in audit.stages
        ]
    )


def clock_fits(audit: Audit) -> pa.Table:
    """One row for each segment of each fit, or one row with the reason for no segment.

    `offset_ns` is clock minus reference at `centre_ns`.
    """
    rows = [
        {
            **{name: getattr(fit, name) for name in ("clock", "reference", "method")},
            "segment": number if segment else None,
            **_segment(segment),
            **{name: getattr(fit, name) for name in ("resets", "backsteps", "quantisation_ns", "note")},
        }
        for fit in audit.fits
        for number, segment in enumerate(fit.segments or (None,))
    ]
    return of_rows(rows, segment=pa.int64(), n=pa.int64(), outliers=pa.int64())


def _segment(segment: Segment | None) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(segment, name, None) for name in ("n", "outliers")}
    row |= {name: float(getattr(segment, name)) if segment else None for name in _SEGMENT_NS}
    for name, column, unit in _SEGMENT_INTERVALS:
        interval = getattr(segment, name, None)
        row |= {
            f"{column}{part}{unit}": getattr(interval, end, None)
            for part, end in (("", "value"), ("_low", "low"), ("_high", "high"))
        }
    return row


def stability(audit: Audit) -> pa.Table:
    """One row for each averaging time of each clock."""
    columns = (("tau_s", "taus_s"), ("adev", "adev"), ("tdev_ns", "tdev_ns"), ("mtie_ns", "mtie_ns"))
    return of_rows(
        [
            {
                "clock": clock.clock,
                **{column: getattr(clock, name)[at] for column, name in columns},
                **{name: getattr(clock, name) for name in ("n", "missing", "note")},
            }
            for clock in audit.stability
            for at in range(len(clock.taus_s))
        ]
    )


def matchings(audit: Audit) -> pa.Table:
    """One row for each count of entries with and without a partner."""
    return of_rows(
        [
            {"node": matching.node, "what": matching.what, "reason": reason, "count": count}
            for matching in audit.matchings
            for reason, count in {"matched": matching.matched, **matching.unmatched}.items()
        ]
    )


TABLES: Mapping[str, Callable[[Audit], pa.Table]] = {
    "audit": comparisons,
    "matchings": matchings,
    "serial_stages": stages,
    "clocks": clock_fits,
    "stability": stability,
}
