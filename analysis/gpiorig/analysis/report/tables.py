"""The tables of a report as data, with units in the names of their columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from gpiorig.analysis.columns import table
from gpiorig.analysis.report.data import ReportData, RouteView, route_views
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.tables import study as studytables


def report_tables(data: ReportData) -> dict[str, pa.Table]:
    """The tables that have a row, by name.

    ``route_steps`` has a row per route and step: statistics, uncertainties, shares with their intervals.
    ``layer_times`` and ``preemption`` are means over the packets. The others are those of the study.
    """
    views = route_views(data)
    found = {
        "route_steps": _table([row for view in views for row in _steps(view)]),
        "layer_times": _table([row for view in views for row in _layers(view)]),
        "preemption": _table([row for view in views for row in _preemption(view)]),
    }
    found |= studytables.tables(data.study)
    return {name: content for name, content in found.items() if content is not None}


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table | None:
    """Columns of the rows, which have the same keys; NaN is null."""
    if not rows:
        return None
    return table({name: pa.array([_known(row[name]) for row in rows]) for name in rows[0]})


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _interval(name: str, unit: str, found: Interval) -> dict[str, float]:
    """Three columns: ``share_of_variance``, ``share_of_variance_low``, …; the unit stands last."""
    return {f"{name}{unit}": found.value, f"{name}_low{unit}": found.low, f"{name}_high{unit}": found.high}


_UNKNOWN = Interval(math.nan, math.nan, math.nan, "")


def _steps(view: RouteView) -> list[dict[str, Any]]:
    study, rows = view.study, []
    for column, (step, summary) in enumerate(zip(view.route.steps.steps, view.numbers.steps, strict=True)):
        known = study.uncertainties[column] if study is not None and column < len(study.uncertainties) else None
        variance = study.budget.variance[column] if study is not None else _UNKNOWN
        tail = study.budget.tail[column] if study is not None else _UNKNOWN
        rows.append(
            {
                "route": view.route.name,
                "step": step.name,
                "node": step.node,
                "kind": step.kind.value,
                "packets": summary.n,
                "median_ns": summary.median_ns,
                "mean_ns": summary.mean_ns,
                "p99_ns": summary.p99_ns,
                "peak_to_peak_ns": summary.peak_to_peak_ns,
                "std_ns": summary.std_ns,
                "expanded_uncertainty_ns": known.expanded_ns if known else math.nan,
                "probe_events": known.probe_events if known else None,
                "probe_cost_ns": known.probe_cost_ns if known else math.nan,
                "corrected_expanded_uncertainty_ns": known.corrected_expanded_ns if known else math.nan,
                "share_of_mean": float(view.numbers.means[column]),
                **_interval("share_of_variance", "", variance if study else _point(view, column)),
                **_interval("share_of_tail", "", tail),
            }
        )
    return rows


def _point(view: RouteView, column: int) -> Interval:
    return Interval(float(view.numbers.variances[column]), math.nan, math.nan, "")


def _layers(view: RouteView) -> list[dict[str, Any]]:
    times = view.study.layers if view.study is not None else None
    if times is None or not len(times.self_samples):
        return []
    period_ns = view.numbers.period_ns
    return [
        {
            "route": view.route.name,
            "node": node,
            "layer": layer,
            "direction": direction,
            "self_mean_ns": float(times.self_samples[:, column].mean()) * period_ns,
            "self_max_ns": float(times.self_samples[:, column].max()) * period_ns,
            "residence_mean_ns": float(times.residence_samples[:, column].mean()) * period_ns,
            "residence_max_ns": float(times.residence_samples[:, column].max()) * period_ns,
        }
        for column, (node, layer, direction) in enumerate(times.layers)
    ]


def _preemption(view: RouteView) -> list[dict[str, Any]]:
    found = view.study.occupancy if view.study is not None else None
    if found is None:
        return []
    return [
        {
            "route": view.route.name,
            "step": step.name,
            "occupant": name,
            "mean_ns": float(found.mean_samples[s, o]) * view.numbers.period_ns,
        }
        for s, step in enumerate(view.route.steps.steps)
        for o, name in enumerate(found.occupants)
        if found.known[s] and found.mean_samples[s, o] > 0
    ]
