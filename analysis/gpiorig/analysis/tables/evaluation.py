"""Tables of an evaluation and of its audit: summaries with units in the names of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from gpiorig.analysis import columns
from gpiorig.analysis.audit.results import Audit
from gpiorig.analysis.columns import COUNT, NUMBER, TEXT, Schema, of_attributes, of_interval, of_rows
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.statistics.summary import Summary

_COMPARED = ("median_ns", "peak_to_peak_ns", "std_ns")
_ERRORS = ("min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns", "mean_ns", "peak_to_peak_ns", "std_ns")


def with_route(name: str, content: pa.Table) -> pa.Table:
    """The table with the name of its route in front."""
    return content.add_column(0, "route", columns.names(np.zeros(content.num_rows, dtype=np.int8), {0: name}))


_STEPS: Schema = {
    "step": (TEXT, "step.name"),
    "node": (TEXT, "step.node"),
    "kind": (TEXT, "step.kind.text"),
    "packets": (COUNT, "summary.n"),
    **of_attributes(NUMBER, ("median_ns", "mean_ns", "p99_ns", "peak_to_peak_ns", "std_ns"), of="summary."),
    "expanded_uncertainty_ns": (NUMBER, "delay.expanded_ns"),
    "probe_events": (COUNT, "delay.probe_events"),
    "probe_cost_ns": (NUMBER, "delay.probe_cost_ns"),
    "corrected_expanded_uncertainty_ns": (NUMBER, "delay.corrected_expanded_ns"),
    "share_of_mean": (NUMBER, "share_of_mean"),
    **of_interval("share_of_variance", "variance"),
    **of_interval("share_of_tail", "tail"),
}


def steps(evaluation: RouteEvaluation) -> pa.Table:
    """One row per step: statistics, uncertainty, shares with their intervals."""
    numbers, shares = evaluation.numbers, evaluation.budget
    rows = [
        SimpleNamespace(
            step=step,
            summary=numbers.steps[place],
            delay=evaluation.uncertainties[place],
            share_of_mean=float(numbers.means[place]),
            variance=shares.variance[place],
            tail=shares.tail[place],
        )
        for place, step in enumerate(evaluation.route.steps.steps)
    ]
    return of_rows(rows, _STEPS, nan_is_null=True)


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


_COMPARISONS: Schema = {
    **of_attributes(TEXT, ("quantity", "clock")),
    **of_attributes(COUNT, ("n", "unmatched")),
    **of_attributes(NUMBER, _COMPARED, of="pins.", prefix="pins_"),
    **of_attributes(NUMBER, _COMPARED, of="other.", prefix="clock_"),
    **of_attributes(NUMBER, _ERRORS, of="error.", prefix="error_"),
    **of_interval("skew", "skew_ns", unit="_ns"),
    **of_attributes(TEXT, ("method", "note"), of="skew_ns.", prefix="skew_"),
    **of_interval("added_jitter", "added_jitter_ns", unit="_ns"),
    **of_attributes(TEXT, ("method", "note"), of="added_jitter_ns.", prefix="added_jitter_"),
}


def comparisons(audit: Audit) -> pa.Table:
    """One row for each quantity by each clock."""
    return of_rows(audit.comparisons, _COMPARISONS)


_STAGES: Schema = {
    "node": (TEXT, "node"),
    "stage": (TEXT, "name"),
    "n": (COUNT, "delay.n"),
    **of_attributes(NUMBER, (name for name in Summary.__slots__ if name not in {"n", "lost"}), of="delay."),
}


def stages(audit: Audit) -> pa.Table:
    """One row for each stage of a node's lines."""
    return of_rows(audit.stages, _STAGES)


_SEGMENTS: Schema = {
    **of_attributes(TEXT, ("clock", "reference", "method"), of="fit."),
    "segment": (COUNT, "number"),
    **of_attributes(COUNT, ("n", "outliers"), of="segment."),
    **of_attributes(NUMBER, ("start_ns", "end_ns", "centre_ns", "residual_std_ns"), of="segment."),
    **of_interval("offset", "segment.ahead_ns", unit="_ns"),
    **of_interval("skew", "segment.ppm", unit="_ppm"),
    **of_interval("drift", "segment.drift_ppm_per_s", unit="_ppm_per_s"),
    **of_attributes(COUNT, ("resets", "backsteps"), of="fit."),
    "quantisation_ns": (NUMBER, "fit.quantisation_ns"),
    "note": (TEXT, "fit.note"),
}


def clock_fits(audit: Audit) -> pa.Table:
    """One row for each segment of each fit, or one row with the reason for no segment.

    `offset_ns` is clock minus reference at `centre_ns`.
    """
    rows = [
        SimpleNamespace(fit=fit, number=number if segment else None, segment=segment)
        for fit in audit.fits
        for number, segment in enumerate(fit.segments or (None,))
    ]
    return of_rows(rows, _SEGMENTS)


_TIMES: Schema = {
    "clock": (TEXT, "clock.clock"),
    **of_attributes(NUMBER, ("tau_s", "adev", "tdev_ns", "mtie_ns")),
    **of_attributes(COUNT, ("n", "missing"), of="clock."),
    "note": (TEXT, "clock.note"),
}


def stability(audit: Audit) -> pa.Table:
    """One row for each averaging time of each clock."""
    rows = [
        SimpleNamespace(clock=clock, tau_s=tau_s, adev=adev, tdev_ns=tdev_ns, mtie_ns=mtie_ns)
        for clock in audit.stability
        for tau_s, adev, tdev_ns, mtie_ns in zip(clock.taus_s, clock.adev, clock.tdev_ns, clock.mtie_ns, strict=True)
    ]
    return of_rows(rows, _TIMES)


def matchings(audit: Audit) -> pa.Table:
    """One row for each count of entries with and without a partner."""
    rows = [
        SimpleNamespace(node=matching.node, what=matching.what, reason=reason, count=count)
        for matching in audit.matchings
        for reason, count in {"matched": matching.matched, **matching.unmatched}.items()
    ]
    return of_rows(rows, {**of_attributes(TEXT, ("node", "what", "reason")), "count": (COUNT, "count")})


AUDIT_TABLES: Mapping[str, Callable[[Audit], pa.Table]] = {
    "audit": comparisons,
    "matchings": matchings,
    "serial_stages": stages,
    "clocks": clock_fits,
    "stability": stability,
}
