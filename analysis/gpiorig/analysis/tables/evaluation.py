"""Tables of an evaluation: summaries of steps and layers, with units in the names of columns."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from gpiorig.analysis import columns
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation


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
