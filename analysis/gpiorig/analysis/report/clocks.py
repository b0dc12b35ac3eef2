"""The section on the clock audit: the same events by other clocks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gpiorig.analysis.audit.results import Audit
from gpiorig.analysis.clocks.clock_fit import ClockFit
from gpiorig.analysis.clocks.resolution import residual_text
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.figures import audit, style, thinning
from gpiorig.analysis.figures import audit as auditfigures
from gpiorig.analysis.figures.plates import WIDTH
from gpiorig.analysis.number_text import DASH, round_time_text, time_text
from gpiorig.analysis.report.blocks import Block, Details, Picture, Section, Table, text, why_not
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.texts import time_interval
from gpiorig.analysis.statistics.interval_text import ppm_interval

DRAWN_QUANTITIES = 3  # those compared with the most clocks


def section(data: ReportData, prefix: str) -> Section:
    """The section of the page; `prefix` makes the names of its pictures unique."""
    blocks = tuple(_blocks(data, prefix))
    audit = data.evaluation.audit
    line = next(iter(auditfigures.sentences(audit)), "compared") if audit is not None else "not compared"
    return Section("clocks", "Clocks: pins, node, host", blocks, line)


def _blocks(data: ReportData, prefix: str) -> list[Block]:
    audit = data.evaluation.audit
    if audit is None:
        return [
            why_not("The clocks were not compared: that takes packets on the pins and a node's log or serial record.")
        ]
    sentences = auditfigures.sentences(audit)
    wrong = (*audit.foreign, *audit.flags)
    blocks: list[Block] = [text(*wrong, look="bad")] if wrong else []
    blocks += [text(*sentences)] if sentences else []
    aside: list[Block] = [text(*audit.notes)] if audit.notes else []
    aside += [_matchings(audit)] if audit.matchings else []
    if aside:
        blocks.append(Details("Omitted comparisons and assumptions", tuple(aside)))
    if audit.fits:
        blocks.append(_fits(audit.fits))
    if audit.comparisons:
        blocks.append(_comparisons(audit))
        blocks += _errors(data, audit, prefix)
    if audit.stages:
        blocks += [*_stage_boxes(data, audit, prefix), _stages(audit)]
    blocks += _stability(data, audit, prefix)
    return blocks or [why_not("The audit has nothing to compare: no event was recorded by two clocks.")]


def _matchings(audit: Audit) -> Table:
    """Log entries with a partner on the pins, and those without, by reason."""
    rows = tuple(
        (
            matching.node,
            matching.what,
            f"{matching.matched}",
            "; ".join(f"{n} {reason}" for reason, n in matching.unmatched.items() if n) or "0",
        )
        for matching in audit.matchings
    )
    return Table("Log and pins side by side", ("<node", "<what", "matched", "<not matched"), rows)


def _fits(fits: tuple[ClockFit, ...]) -> Table:
    rows: list[tuple[str, ...]] = []
    for fit in fits:
        head = (fit.clock, fit.reference, fit.method)
        counts = (f"{fit.resets}; {fit.backsteps}", round_time_text(fit.quantisation_ns), fit.note)
        for segment in fit.segments:
            drift = segment.drift_ppm_per_s
            rows.append(
                (
                    *head,
                    f"{time_text(segment.start_ns)} to {time_text(segment.end_ns)}",
                    f"{segment.n} ({segment.outliers})",
                    time_interval(segment.ahead_ns),
                    ppm_interval(segment.ppm),
                    DASH if drift is None else f"{drift.value:.3g} ppm/s",
                    residual_text(segment.residual_std_ns, fit.quantisation_ns),
                    *counts,
                )
            )
        if not fit.segments:
            rows.append((*head, *[DASH] * 6, *counts))
    header = (
        "<clock", "<against", "<method", "<from, to", "timestamps (outliers)", "ahead by", "faster by", "drift",
        "residual (std)", "resets; steps back", "smallest step", "<note",
    )  # fmt: skip
    note = (
        "Ahead by: clock minus reference in the middle of the segment. A host's timestamps can only be late: the line "
        "below all of them (minimum delay) includes the clock's offset and the minimum delay, the one through their "
        "middle the usual delay."
    )
    title = "Fits of clocks, a row per segment between resets, steps and changes of rate"
    return Table(title, header, tuple(rows), note=note)


def _comparisons(audit: Audit) -> Table:
    rows = tuple(
        (
            comparison.quantity,
            comparison.clock,
            f"{comparison.n} ({comparison.unmatched})",
            time_text(comparison.pins.median_ns),
            time_text(comparison.other.median_ns),
            time_interval(comparison.skew_ns),
            time_interval(comparison.added_jitter_ns),
            time_text(comparison.error.std_ns),
            f"{time_text(comparison.error.min_ns)} to {time_text(comparison.error.max_ns)}",
        )
        for comparison in audit.comparisons
    )
    header = (
        "<quantity", "<clock", "n (unmatched)", "median by pins", "median by clock", "skew", "jitter added",
        "std of error", "error, min to max",
    )  # fmt: skip
    note = "Skew: median of clock minus pins. Jitter added: peak-to-peak by the clock minus that by the pins."
    return Table("The same quantities by other clocks", header, rows, note=note)


def _errors(data: ReportData, audit: Audit, prefix: str) -> list[Block]:
    """Distribution functions of the errors, a figure per quantity that is compared with several clocks or first."""
    blocks: list[Block] = []
    ranked = sorted(auditfigures.quantities(audit).items(), key=lambda item: -len(item[1]))
    for number, (quantity, compared) in enumerate(ranked[:DRAWN_QUANTITIES], start=1):
        drawn = [comparison for comparison in compared if comparison.n]
        if not drawn:
            continue
        diagram = partial(auditfigures.errors, comparisons=drawn)
        title = f"Errors of the other clocks: {quantity}"
        draw = partial(style.plate, diagram, height=2.8, title=title, virtual=data.virtual)
        largest = max(comparison.n for comparison in drawn)
        thinned = f", drawn by {thinning.FEWER} of their quantiles" if largest > thinning.ECDF_POINTS else ""
        caption = f"Distribution functions of clock minus pins{thinned}."
        title = f"Distribution of the errors of each clock: {quantity}"
        blocks.append(Picture(f"{prefix}clock-errors-{number}", draw, title, caption))
    if len(ranked) > DRAWN_QUANTITIES:
        blocks.append(text(f"Of {len(ranked)} quantities {DRAWN_QUANTITIES} are drawn; the table has all."))
    return blocks


def _stage_boxes(data: ReportData, audit: Audit, prefix: str) -> list[Block]:
    """The stages as box plots."""
    if not any(stage.delay.n for stage in audit.stages):
        return []
    diagram, height = partial(auditfigures.stage_boxes, stages=audit.stages), 1.2 + 0.28 * len(audit.stages)
    draw = partial(style.plate, diagram, height=height, title="Stages of a log line", virtual=data.virtual)
    caption = "Boxes: quartiles; whiskers: 5 to 95 %; points: smallest and largest."
    return [Picture(f"{prefix}serial-stages", draw, "Stages of a log line", caption)]


def _stages(audit: Audit) -> Table:
    rows = []
    for stage in audit.stages:
        s = stage.delay
        numbers = (s.min_ns, s.median_ns, s.p95_ns, s.max_ns, s.peak_to_peak_ns)
        rows.append((stage.node, stage.name, f"{s.n}", *(time_text(ns) for ns in numbers)))
    header = ("<node", "<stage", "lines", "min", "median", "p95", "max", "peak-to-peak")
    note = (
        "The stages up to the start bit, and the total from event to host timestamp, are of lines about a packet; "
        "those from the start bit on are of all lines."
    )
    return Table("Stages of a log line", header, tuple(rows), note=note)


def _stability(data: ReportData, audit: Audit, prefix: str) -> list[Block]:
    """TDEV, MTIE and ADEV over the averaging time."""
    measures = [
        (name, label)
        for name, label in (("tdev_ns", "TDEV"), ("mtie_ns", "MTIE"), ("adev", "ADEV"))
        if any((np.nan_to_num(getattr(clock, name)) > 0).any() for clock in audit.stability)
    ]
    if not measures:
        return [why_not("The record is too short for the stability of the clocks (TDEV, MTIE, ADEV).")]
    draw = partial(draw_stability, audit.stability, measures, virtual=data.virtual)
    caption = (
        "Time deviation, maximum time interval error (ITU-T G.810) and overlapping Allan deviation over the averaging "
        "time; omitted where the record is too short. Of more than eight clocks those farthest from the others are "
        "named."
    )
    picture = Picture(f"{prefix}clock-stability", draw, "Stability of each clock over the averaging time", caption)
    notes = [f"{clock.clock}: {clock.note}." for clock in audit.stability if clock.note]
    return [picture, *([text(*notes)] if notes else [])]


def draw_stability(clocks: Sequence[Stability], measures: Sequence[tuple[str, str]], *, virtual: bool) -> Figure:
    """Axes side by side, one per measure (its attribute and its label)."""
    with style.paper():
        named = audit.outstanding(clocks, measure=measures[0][0])
        columns = 1 if style.is_narrow() else 2
        legend = 0.1 + 0.17 * -(-(len(named) + (len(named) < len(clocks))) // columns)
        height = 3.2 + 2.2 * (len(measures) - 1) * style.is_narrow() + legend
        figure = style.new_figure(width=WIDTH, height=height, legend=legend, virtual=virtual)
        axes = style.panels(figure, len(measures))
        for ax, (name, label) in zip(axes, measures, strict=True):
            audit.stability(ax, clocks, measure=name, named=named)
            ax.set_title(label)
        # A clock may have a point in one of them only.
        drawn = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        foot = (style.TAG_HEIGHT if virtual else 0.0) / height
        place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, foot), "fontsize": 7.5}
        figure.legend(drawn.values(), drawn.keys(), ncols=columns, **place)
        return figure
