"""Tables of an evaluation and of its audit: summaries with units in the names of columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from gpiorig.analysis import columns
from gpiorig.analysis.audit.audit import Audit
from gpiorig.analysis.clocks.fit import Segment
from gpiorig.analysis.columns import of_rows
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.statistics.summary import Summary

COMPARED = ("median_ns", "peak_to_peak_ns", "std_ns")
ERROR_FIELDS = ("min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns", "mean_ns", "peak_to_peak_ns", "std_ns")
_SEGMENT_NS = ("start_ns", "end_ns", "centre_ns", "residual_std_ns")
_SEGMENT_INTERVALS = (
    ("ahead_ns", "offset", "_ns"),
    ("ppm", "skew", "_ppm"),
    ("drift_ppm_per_s", "drift", "_ppm_per_s"),
)


def with_route(name: str, content: pa.Table) -> pa.Table:
    """The table with the name of its route in front."""
    return content.add_column(0, "route", pa.array([name] * content.num_rows, pa.string()))


def steps(evaluation: RouteEvaluation) -> pa.Table:
    """One row per step: statistics, uncertainty, shares with their intervals."""
    rows = []
    for column, (step, summary) in enumerate(zip(evaluation.route.steps.steps, evaluation.numbers.steps, strict=True)):
        delay = evaluation.uncertainties[column]
        rows.append(
            {
                "step": step.name,
                "node": step.node,
                "kind": step.kind.text,
                "packets": summary.n,
                "median_ns": summary.median_ns,
                "mean_ns": summary.mean_ns,
                "p99_ns": summary.p99_ns,
                "peak_to_peak_ns": summary.peak_to_peak_ns,
                "std_ns": summary.std_ns,
                "expanded_uncertainty_ns": delay.expanded_ns,
                "probe_events": delay.probe_events,
                "probe_cost_ns": delay.probe_cost_ns,
                "corrected_expanded_uncertainty_ns": delay.corrected_expanded_ns,
                "share_of_mean": float(evaluation.numbers.means[column]),
                **evaluation.budget.variance[column].columns("share_of_variance"),
                **evaluation.budget.tail[column].columns("share_of_tail"),
            }
        )
    return columns.table({name: pa.array([_known(row[name]) for row in rows]) for name in rows[0]})


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def layer_times(evaluation: RouteEvaluation) -> pa.Table | None:
    """One row per layer: mean and largest self-time and residence."""
    times, period_ns = evaluation.layers, evaluation.numbers.period_ns
    if times is None:
        return None
    nodes, layers, directions = zip(*times.layers, strict=True)
    content: dict[str, Any] = {"node": nodes, "layer": layers, "direction": directions}
    for name, samples in (("self", times.self_samples), ("residence", times.residence_samples)):
        content[f"{name}_mean_ns"] = samples.mean(axis=0) * period_ns
        content[f"{name}_max_ns"] = samples.max(axis=0) * period_ns
    return columns.table(content)


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


AUDIT_TABLES: Mapping[str, Callable[[Audit], pa.Table]] = {
    "audit": comparisons,
    "matchings": matchings,
    "serial_stages": stages,
    "clocks": clock_fits,
    "stability": stability,
}
