"""Sections about the delays of a route: budget, steps, distributions, the run, jitter by every definition."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.packets.timelines import steps_add_up
from gpiorig.analysis.quantity import DASH, count_text, share_text, time_text, uncertain_text
from gpiorig.analysis.report import radio_rows
from gpiorig.analysis.report.blocks import Block, Details, Table, text, why_not
from gpiorig.analysis.report.data import ReportData, RouteView
from gpiorig.analysis.report.texts import share_interval, tail_text, time_interval
from gpiorig.analysis.statistics.summary import Summary

QUANTILES = (
    "Quantiles: Hyndman and Fan, type 7. Standard deviation: of the sample, n - 1. IPDV: the delay of a packet less "
    "that of the packet sent before it, as RFC 3393 defines it for one-way delays."
)
_COLUMNS = ("min", "p5", "median", "p95", "p99", "max", "mean", "peak_to_peak", "iqr", "std")
_NAMES = ("min", "p5", "median", "p95", "p99", "max", "mean", "peak-to-peak", "IQR", "std")
_LONGER = ", longer"
_SHARES = (
    "Shares with their 95 % interval; a step that is short where others are long has a negative one, and the others "
    "then make more than 100 %."
)
# Of each column of the table of steps what must be said about it.
_COLUMN_NOTES = {
    "<step": "",
    "<node": "",
    "median": "± : expanded uncertainty of one delay, k = 2.",
    "peak-to-peak": "",
    "share of mean": "",
    "share of variance": _SHARES,
    "share of tail": _SHARES,
    "probe events in it": "",
    "median without its probes": (
        "Without its probes: less what its events cost by the calibration burst. A step that is “longer” waits for "
        "something that began earlier: what the probes before it took no longer passes before it begins."
    ),
    "of it others ran": "Of it others ran: mean time that something off the packet's path had the processor.",
}


def budget_notes(view: RouteView) -> list[Block]:
    """What must be said beside the budget, or why there is none."""
    if not np.isfinite(view.numbers.variances).all():
        reason = "fewer than two packets" if view.numbers.total.n < 2 else (
            f"all delays are equal within {view.numbers.resolution_text}, the resolution"
        )  # fmt: skip
        return [why_not(f"There is no variance to divide: {reason}.")]
    budget = view.study.budget if view.study is not None else None
    if budget is None:
        return [why_not("No budget with intervals was computed; the bars are estimates from these packets.")]
    has_tail = all(math.isfinite(share.value) for share in budget.tail)
    tail = f"; the tail is the {tail_text(budget.tail_packets, budget.packets)}" if has_tail else ""
    said = [f"Of {count_text(budget.packets, 'packet')}{tail}."]
    return [text(*said, *([_sentence(budget.note)] if budget.note else []))]


def step_table(data: ReportData, view: RouteView) -> list[Block]:
    """What each step takes, how well that is known, and its part in the jitter."""
    steps, numbers, study = view.route.steps, view.numbers, view.study
    uncertainties = study.uncertainties if study is not None else ()
    rows: list[tuple[str, ...]] = []
    for column, (step, summary) in enumerate(zip(steps.steps, numbers.steps, strict=True)):
        known = uncertainties[column] if column < len(uncertainties) else None
        rows.append(
            (
                step.name,
                step.node,
                uncertain_text(summary.median_ns, known.expanded_ns) if known else time_text(summary.median_ns),
                time_text(summary.peak_to_peak_ns),
                share_text(float(numbers.means[column])),
                share_interval(study.budget.variance[column])
                if study
                else share_text(float(numbers.variances[column])),
                share_interval(study.budget.tail[column]) if study else DASH,
                f"{known.probe_events}" if known else DASH,
                _without_probes(summary.median_ns, known),
                _preempted(view, column),
            )
        )
        rows += radio_rows.rows(view, column, columns=len(rows[-1]))
    rows.append(_total_row(view))
    header = tuple(_COLUMN_NOTES)
    known_columns = [i for i in range(len(header)) if i < 2 or any(row[i] != DASH for row in rows)]
    note = " ".join(dict.fromkeys(_COLUMN_NOTES[header[i]] for i in known_columns if _COLUMN_NOTES[header[i]]))
    table = Table(
        "Steps in the order of the path",
        tuple(header[i] for i in known_columns),
        tuple(tuple(row[i] for i in known_columns) for row in rows),
        note=note,
    )
    return [table, *radio_rows.notes(view), _add_up(data, view), *_components(view), _statistics(view)]


def jitter_table(view: RouteView) -> Block:
    """Jitter by every definition."""
    if view.study is None or not view.study.jitter:
        return why_not("Jitter was not computed by its definitions; the table of delays has its range and deviation.")
    rows = tuple(
        (each.name, each.source, time_interval(each.ns), each.ns.method or DASH, each.ns.note)
        for each in view.study.jitter
    )
    header = ("<measure", "<defined in", "value (95 % interval)", "<interval by", "<note")
    return Table("Jitter of the whole delay, by every definition", header, rows)


def delay_table(rows: Mapping[str, Summary]) -> Table:
    """Statistics of named delays."""
    header = ("<delay", "n", "lost", *_NAMES)
    return Table("Delays of whole stretches", header, _summary_rows(rows), note=QUANTILES)


def _summary_rows(rows: Mapping[str, Summary]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (name, f"{s.n}", f"{s.lost}", *(time_text(getattr(s, f"{column}_ns")) for column in _COLUMNS))
        for name, s in rows.items()
    )


def _statistics(view: RouteView) -> Details:
    named = {f"{s.name}": n for s, n in zip(view.route.steps.steps, view.numbers.steps, strict=True)}
    table = Table("Statistics of every step", ("<step", "n", "lost", *_NAMES), _summary_rows(named), note=QUANTILES)
    return Details("Statistics of every step", (table,))


def _components(view: RouteView) -> list[Block]:
    """What the uncertainty of the whole delay consists of."""
    if view.study is None or not view.study.uncertainties:
        return []
    rows = []
    for each in (view.study.uncertainties[-1], *view.study.uncertainties[:-1]):
        parts = ((each.components, "as the pins show it"), (each.probe_components, "taking off the probes"))
        for components, of in parts:
            rows += [
                (each.name, of, part.name, time_text(part.standard_ns), part.evaluation, part.source)
                for part in components
            ]
    if not rows:
        return []
    header = ("<delay", "<of", "<component", "standard uncertainty", "<GUM evaluation", "<source")
    return [Details("What the uncertainties consist of", (Table("Components of uncertainty", header, tuple(rows)),))]


def _total_row(view: RouteView) -> tuple[str, ...]:
    study, total = view.study, view.numbers.total
    sure = study.uncertainties[-1] if study is not None and study.uncertainties else None
    resolved = np.isfinite(view.numbers.variances).all()
    tail = study is not None and all(math.isfinite(share.value) for share in study.budget.tail)
    return (
        f"whole {view.noun}",
        "",
        uncertain_text(total.median_ns, sure.expanded_ns) if sure else time_text(total.median_ns),
        time_text(total.peak_to_peak_ns),
        share_text(1.0),
        share_text(1.0) if resolved else DASH,
        share_text(1.0) if tail else DASH,
        f"{sure.probe_events}" if sure else DASH,
        _without_probes(total.median_ns, sure),
        DASH,
    )


def _without_probes(median_ns: float, known: DelayUncertainty | None) -> str:
    """A median less what its probes cost; one that is longer without them says so."""
    if known is None:
        return DASH
    longer = _LONGER if known.probe_cost_ns < -known.corrected_expanded_ns else ""
    return uncertain_text(median_ns - known.probe_cost_ns, known.corrected_expanded_ns) + longer


def _preempted(view: RouteView, column: int) -> str:
    """Mean time that something off the path ran, where the node shows it."""
    occupancy = view.study.occupancy if view.study is not None else None
    if occupancy is None or not occupancy.known[column] or not len(view.route):
        return DASH
    return time_text(float(occupancy.preempted_samples[:, column].mean()) * view.numbers.period_ns)


def _add_up(data: ReportData, view: RouteView) -> Block:
    """The check that nothing of a delay is missing from its steps, or in two of them."""
    lines = data.timelines
    if view.route.name == ROUND_TRIP and lines is not None:
        good = steps_add_up(lines, view.route.steps)
        absent = f" Milestones that this recording does not have: {', '.join(lines.absent)}." if lines.absent else ""
    else:
        good, absent = bool((view.route.steps.samples >= 0).all()), ""
    if not good:
        return text(f"Failed: the steps of some packet do not add up to its {view.noun}.{absent}", look="bad")
    all_of_them = count_text(len(view.route), "packet")
    return text(f"Checked: the steps of each of {all_of_them} add up to its {view.noun} exactly, in samples.{absent}")


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:] + ("" if note.endswith(".") else ".")
