"""Tables about the delays of a route: steps, total delays, jitter by every definition."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from gpiorig.analysis.delays.model_doubt import range_text
from gpiorig.analysis.delays.part_names import PART_NAMES
from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.figures.budget import INDENT
from gpiorig.analysis.figures.palette import KIND_CLASSES
from gpiorig.analysis.number_text import DASH, count_text, share_text, time_text, uncertain_text
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.packets.timelines import steps_add_up
from gpiorig.analysis.report import uncertainties
from gpiorig.analysis.report.blocks import Block, Details, Table, text, why_not
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.step_table import StepGroup, StepTable
from gpiorig.analysis.report.texts import joined_steps, share_interval, tail_text, time_interval
from gpiorig.analysis.statistics.summary import LISTED, Summary

QUANTILES = (
    "Quantiles: Hyndman and Fan, type 7. Standard deviation: of the sample, n - 1. IPDV: the delay of a packet minus "
    "that of the packet sent before it, as RFC 3393 defines it for one-way delays."
)
SHOWN_STEPS = 5  # that the table shows at first
_HEADINGS = tuple(statistic.heading for statistic in LISTED)
_LONGER = ", longer"
_SHARES = (
    "Shares with their 95 % interval; the share of a step that is short where others are long is negative, and the "
    "others then make more than 100 %."
)
# The columns of the table of steps, each with its note.
_COLUMN_NOTES = {
    "<step": "",
    "<node": "",
    "median": "± : expanded uncertainty of one delay, k = 2.",
    "doubt of the model": "Doubt of the model: by how much hardware may be faster and slower (k = 2).",
    "peak-to-peak": "",
    "share of mean": "",
    "share of variance": _SHARES,
    "share of tail": _SHARES,
    "probe events in it": "",
    "median without its probes": (
        "Without its probes: minus the cost of its events by the calibration burst. A step that is “longer” waits for "
        "something that began earlier: without the probes before it, it begins earlier and waits longer."
    ),
    "pre-empted": "Pre-empted: mean time that activities off the packet's path occupied the processor.",
}


def budget_notes(evaluation: RouteEvaluation) -> list[Block]:
    """Notes on the budget, or the reason for its absence."""
    if not np.isfinite(evaluation.numbers.variances).all():
        reason = "fewer than two packets" if evaluation.numbers.total.n < 2 else (
            f"all delays are equal within {evaluation.numbers.resolution_text}, the resolution"
        )  # fmt: skip
        return [why_not(f"The variance cannot be divided: {reason}.")]
    budget = evaluation.budget
    has_tail = all(math.isfinite(share.value) for share in budget.tail)
    tail = f"; the tail is the {tail_text(budget.tail_packets, budget.packets)}" if has_tail else ""
    lines = [f"Of {count_text(budget.packets, 'packet')}{tail}."]
    return [text(*lines, *([_sentence(budget.note)] if budget.note else []))]


def step_table(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> list[Block]:
    """Duration, uncertainty and share in the jitter of each step."""
    steps = evaluation.route.steps.steps
    rows = []
    for column in range(len(steps)):
        row = _step_row(evaluation, column)
        rows.append((row, *_part_rows(evaluation, column, columns=len(row))))
    total = _total_row(evaluation)
    header = tuple(_COLUMN_NOTES)
    everything = (total, *(row for group in rows for row in group))
    shown = [i for i in range(len(header)) if i < 2 or any(row[i] != DASH for row in everything)]
    note = " ".join(dict.fromkeys(_COLUMN_NOTES[header[i]] for i in shown if _COLUMN_NOTES[header[i]]))
    matter = _most_important(evaluation)
    groups = tuple(
        StepGroup(
            KIND_CLASSES[steps[column].kind],
            tuple(tuple(row[i] for i in shown) for row in group),
            tuple(_step_values(evaluation, column)[i] for i in shown),
            column in matter,
        )
        for column, group in enumerate(rows)
    )
    table = StepTable(
        f"{prefix}packets",
        "Steps in the order of the path",
        tuple(header[i] for i in shown),
        groups,
        tuple(total[i] for i in shown),
        note,
    )
    return [
        table,
        *_part_notes(evaluation),
        _add_up(data, evaluation),
        *_unwitnessed(evaluation),
        *uncertainties.components(evaluation),
        _statistics(evaluation),
    ]


def _step_row(evaluation: RouteEvaluation, column: int) -> tuple[str, ...]:
    step, summary = evaluation.route.steps.steps[column], evaluation.numbers.steps[column]
    uncertainty = evaluation.uncertainties[column]
    return (
        step.name,
        step.node,
        uncertain_text(summary.median_ns, uncertainty.expanded_ns),
        range_text(uncertainty.model),
        time_text(summary.peak_to_peak_ns),
        share_text(float(evaluation.numbers.means[column])),
        share_interval(evaluation.budget.variance[column]),
        share_interval(evaluation.budget.tail[column]),
        f"{uncertainty.probe_events}",
        _without_probes(summary.median_ns, uncertainty),
        _preempted(evaluation, column),
    )


def _step_values(evaluation: RouteEvaluation, column: int) -> tuple[float, ...]:
    """The numbers of a row of `_step_row`, to sort by."""
    summary, uncertainty, occupancy = (
        evaluation.numbers.steps[column],
        evaluation.uncertainties[column],
        evaluation.occupancy,
    )
    preempted = float(occupancy.preempted_samples[:, column].mean()) if occupancy.known[column] else math.nan
    return (
        column,
        math.nan,
        summary.median_ns,
        uncertainty.model.high_ns,
        summary.peak_to_peak_ns,
        float(evaluation.numbers.means[column]),
        evaluation.budget.variance[column].value,
        evaluation.budget.tail[column].value,
        uncertainty.probe_events,
        summary.median_ns - uncertainty.probe_cost_ns,
        preempted,
    )


def _most_important(evaluation: RouteEvaluation) -> set[int]:
    """The steps that have most of the mean, of the variance or of the tail."""
    shares = [
        evaluation.numbers.means,
        *([part.value for part in parts] for parts in (evaluation.budget.variance, evaluation.budget.tail)),
    ]
    sizes = np.max(np.abs(np.nan_to_num(np.array(shares, dtype=np.float64))), axis=0)
    return set(np.argsort(-sizes, kind="stable")[:SHOWN_STEPS].tolist())


def jitter_table(evaluation: RouteEvaluation) -> Block:
    """Jitter by every definition."""
    rows = tuple(
        (jitter.name, jitter.source, time_interval(jitter.ns), jitter.ns.method or DASH, jitter.ns.note)
        for jitter in evaluation.jitter
    )
    header = ("<measure", "<defined in", "value (95 % interval)", "<interval by", "<note")
    return Table("Jitter of the total delay, by every definition", header, rows, look="dense")


def jitter_line(evaluation: RouteEvaluation) -> str:
    """The first measures of the table in a line."""
    shown = [f"{jitter.name} {time_text(jitter.ns.value)}" for jitter in evaluation.jitter[:2]]
    return f"{count_text(len(evaluation.jitter), 'measure')}: {', '.join([*shown, '…'][: len(evaluation.jitter)])}"


def delay_table(rows: Mapping[str, Summary]) -> Table:
    """Statistics of named delays."""
    header = ("<delay", "n", "lost", *_HEADINGS)
    return Table("Total delays", header, _summary_rows(rows), note=QUANTILES, look="dense")


def _summary_rows(rows: Mapping[str, Summary]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (name, f"{s.n}", f"{s.lost}", *(time_text(getattr(s, statistic.field)) for statistic in LISTED))
        for name, s in rows.items()
    )


def _statistics(evaluation: RouteEvaluation) -> Details:
    named = {f"{s.name}": n for s, n in zip(evaluation.route.steps.steps, evaluation.numbers.steps, strict=True)}
    table = Table("Statistics of every step", ("<step", "n", "lost", *_HEADINGS), _summary_rows(named), look="dense")
    return Details("Statistics of every step", (table,))


def _unwitnessed(evaluation: RouteEvaluation) -> list[Block]:
    """The constants in use that no independent source confirms, with the half width that ± counts."""
    parts = (part.unwitnessed for delay in evaluation.uncertainties for part in delay.components if part.unwitnessed)
    named = "; ".join(dict.fromkeys(parts))
    if not named:
        return []
    return [text(f"Unwitnessed constants in the steps before and on the air: {named}. They add no jitter.")]


def _total_row(evaluation: RouteEvaluation) -> tuple[str, ...]:
    total, uncertainty = evaluation.numbers.total, evaluation.uncertainties[-1]
    resolved = np.isfinite(evaluation.numbers.variances).all()
    tail = all(math.isfinite(share.value) for share in evaluation.budget.tail)
    return (
        f"total {evaluation.numbers.noun}",
        "",
        uncertain_text(total.median_ns, uncertainty.expanded_ns),
        range_text(uncertainty.model),
        time_text(total.peak_to_peak_ns),
        share_text(1.0),
        share_text(1.0) if resolved else DASH,
        share_text(1.0) if tail else DASH,
        f"{uncertainty.probe_events}",
        _without_probes(total.median_ns, uncertainty),
        DASH,
    )


def _without_probes(median_ns: float, delay: DelayUncertainty) -> str:
    """A median minus the cost of its probes, marked where it is longer than with them."""
    longer = _LONGER if delay.probe_cost_ns < -delay.corrected_expanded_ns else ""
    return uncertain_text(median_ns - delay.probe_cost_ns, delay.corrected_expanded_ns) + longer


def _preempted(evaluation: RouteEvaluation, column: int) -> str:
    """Mean time of pre-empting activities, where the node shows them."""
    occupancy = evaluation.occupancy
    if not occupancy.known[column]:
        return DASH
    return time_text(float(occupancy.preempted_samples[:, column].mean()) * evaluation.numbers.period_ns)


def _add_up(data: ReportData, evaluation: RouteEvaluation) -> Block:
    """The check that the steps of every packet add up to its delay."""
    lines = data.timelines
    if evaluation.route.name == ROUND_TRIP and lines is not None:
        correct = steps_add_up(lines, evaluation.route.steps)
        absent = f" Milestones that this recording does not have: {', '.join(lines.absent)}." if lines.absent else ""
    else:
        correct, absent = bool((evaluation.route.steps.samples >= 0).all()), ""
    if not correct:
        return text(
            f"Failed: the steps of some packet do not add up to its {evaluation.numbers.noun}.{absent}", look="bad"
        )
    packets = count_text(len(evaluation.route), "packet")
    return text(
        f"Checked: the steps of each of {packets} add up to its {evaluation.numbers.noun} exactly, in samples.{absent}"
    )


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:] + ("" if note.endswith(".") else ".")


def _part_rows(evaluation: RouteEvaluation, column: int, *, columns: int) -> list[tuple[str, ...]]:
    """One row for each part of a step that some packet has: its median, its range, and its shares."""
    wait = next((wait for wait in evaluation.parts if wait.column == column), None)
    if wait is None:
        return []
    known = {part.name: part for part in evaluation.part_uncertainties}
    step, period_ns = evaluation.route.steps.steps[column], evaluation.numbers.period_ns
    filled = []
    for part in evaluation.budget.parts_of(column):
        samples = wait.by_part[PART_NAMES.index(part.name)]
        median_ns = float(np.median(samples)) * period_ns
        limit = known[f"{step.name}: {part.name}"]
        cells = (
            INDENT + part.name,
            step.node,
            uncertain_text(median_ns, limit.expanded_ns) if median_ns else time_text(0.0),
            DASH,
            time_text(float(np.ptp(samples)) * period_ns),
            share_text(part.time.value),
            share_interval(part.variance),
            share_interval(part.tail),
        )
        filled.append((*cells, *(DASH,) * (columns - len(cells))))
    return filled


def _part_notes(evaluation: RouteEvaluation) -> list[Block]:
    """Notes on what the pins do not show of the radio waits, each once with the names of its steps."""
    waits: dict[str, list[str]] = {}
    for wait in evaluation.parts:
        waits.setdefault(" ".join(wait.notes), []).append(evaluation.route.steps.steps[wait.column].name)
    return [text(f"{joined_steps(names)}, parts: {notes}") for notes, names in waits.items() if notes]
