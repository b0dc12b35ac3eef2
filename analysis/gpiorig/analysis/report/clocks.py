"""The section on the clock audit: the same events by other clocks."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gpiorig.analysis.audit.results import Audit, Comparison, Stage
from gpiorig.analysis.clocks.clock_fit import ClockFit
from gpiorig.analysis.clocks.resolution import residual_text
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.figures import audit, plates, style, thinning
from gpiorig.analysis.figures import audit as auditfigures
from gpiorig.analysis.figures.plates import WIDTH
from gpiorig.analysis.number_text import DASH, round_time_text, time_text
from gpiorig.analysis.report.blocks import Block, Details, Picture, Section, Table, text, why_not
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.texts import time_interval
from gpiorig.analysis.statistics.interval_text import ppm_interval

DRAWN_QUANTITIES = 3  # those compared with the most clocks
PANEL_LETTERS = 34  # in a line of the title of a panel


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
        head = (fit.clock, fit.reference, fit.method.partition(",")[0])
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
    methods = "; ".join(dict.fromkeys(fit.method for fit in fits if "," in fit.method))
    note = (
        "Ahead by: clock minus reference in the middle of the segment. A host's timestamps can only be late: the line "
        "below all of them (minimum delay) includes the clock's offset and the minimum delay, the one through their "
        f"middle the usual delay.{f' Methods: {methods}.' if methods else ''}"
    )
    title = "Fits of clocks, a row per segment between resets, steps and changes of rate"
    varied = [column for column, cells in enumerate(zip(*rows, strict=True)) if len(rows) == 1 or len(set(cells)) > 1]
    equal = [
        f"{header[column].removeprefix('<')}: {rows[0][column]}"
        for column in range(len(header))
        if column not in varied and rows[0][column] not in ("", DASH)
    ]
    return Table(
        title,
        tuple(header[column] for column in varied),
        tuple(tuple(row[column] for column in varied) for row in rows),
        f"{note} In all rows {'; '.join(equal)}." if equal else note,
        look="dense",
    )


def _comparisons(audit: Audit) -> Table:
    """A row per quantity and clock; clocks with equal numbers are one row."""
    clocks: dict[tuple[str, ...], list[str]] = {}
    for comparison in audit.comparisons:
        numbers = (
            comparison.quantity,
            f"{comparison.n} ({comparison.unmatched})",
            time_text(comparison.pins.median_ns),
            time_text(comparison.other.median_ns),
            time_interval(comparison.skew_ns),
            time_interval(comparison.added_jitter_ns),
            time_text(comparison.error.std_ns),
            f"{time_text(comparison.error.min_ns)} to {time_text(comparison.error.max_ns)}",
        )
        clocks.setdefault(numbers, []).append(comparison.clock)
    rows = tuple((numbers[0], "; ".join(names), *numbers[1:]) for numbers, names in clocks.items())
    header = (
        "<quantity", "<clock", "n (unmatched)", "median by pins", "median by clock", "skew", "jitter added",
        "std of error", "error, min to max",
    )  # fmt: skip
    note = "Skew: median of clock minus pins. Jitter added: peak-to-peak by the clock minus that by the pins."
    return Table("The same quantities by other clocks", header, rows, note, look="dense")


def _errors(data: ReportData, audit: Audit, prefix: str) -> list[Block]:
    """Distribution functions of the errors: a panel per quantity that is compared with the most clocks."""
    drawn = {
        quantity: tuple(comparison for comparison in compared if comparison.n)
        for quantity, compared in auditfigures.quantities(audit).items()
    }
    ranked = sorted(filter(lambda pair: pair[1], drawn.items()), key=lambda pair: -len(pair[1]))
    if not ranked:
        return []
    draw = partial(draw_errors, dict(ranked[:DRAWN_QUANTITIES]), virtual=data.virtual)
    largest = max(comparison.n for _, compared in ranked[:DRAWN_QUANTITIES] for comparison in compared)
    thinned = f", drawn by {thinning.FEWER} of their quantiles" if largest > thinning.ECDF_POINTS else ""
    caption = f"Distribution functions of clock minus pins{thinned}; clocks with equal errors are one line."
    if len(ranked) > DRAWN_QUANTITIES:
        caption += f" Of {len(ranked)} quantities {DRAWN_QUANTITIES} are drawn; the table has all."
    return [Picture(f"{prefix}clock-errors", draw, "Errors of the other clocks", caption)]


def draw_errors(quantities: Mapping[str, Sequence[Comparison]], *, virtual: bool) -> Figure:
    """Axes side by side, one per quantity; the legend at the foot has each clock once."""
    with style.paper():
        names = list(dict.fromkeys(name for compared in quantities.values() for name in auditfigures.curves(compared)))
        height = 2.5 * (len(quantities) if style.is_narrow() else 1)
        legend = 0.1 + 0.17 * len(names)
        figure = style.new_figure(width=WIDTH, height=height + legend, legend=legend, virtual=virtual)
        axes = style.panels(figure, len(quantities), sharey=True)
        for ax, (quantity, compared) in zip(axes, quantities.items(), strict=True):
            auditfigures.errors(ax, compared, names=names)
            ax.set_title("\n".join(textwrap.wrap(quantity, PANEL_LETTERS)), fontsize=9)
        axes[0].set_ylabel("share at or below")
        _foot(figure, axes, columns=1, virtual=virtual)
        return figure


def _foot(figure: Figure, axes: Sequence[Axes], *, columns: int, virtual: bool) -> None:
    """One legend of all axes at the foot: each label once."""
    drawn = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    foot = (style.TAG_HEIGHT if virtual else 0.0) / figure.get_figheight()
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, foot), "fontsize": 8.5}
    figure.legend(drawn.values(), drawn.keys(), ncols=columns, **place)


def _stage_boxes(data: ReportData, audit: Audit, prefix: str) -> list[Block]:
    """The stages as box plots."""
    if not any(stage.delay.n for stage in audit.stages):
        return []
    draw = partial(draw_stages, audit.stages, virtual=data.virtual)
    caption = "Boxes: quartiles; whiskers: 5 to 95 %; points: smallest and largest."
    return [Picture(f"{prefix}serial-stages", draw, "Stages of a log line", caption)]


def draw_stages(stages: Sequence[Stage], *, virtual: bool) -> Figure:
    """Axes side by side, one per node."""
    with style.paper():
        nodes = dict.fromkeys(stage.node for stage in stages if stage.delay.n)
        of_nodes = [[stage for stage in stages if stage.node == node] for node in nodes]
        high = 0.9 + 0.19 * max(map(len, of_nodes))
        figure = style.new_figure(width=WIDTH, height=high * (len(nodes) if style.is_narrow() else 1), virtual=virtual)
        axes = style.panels(figure, len(nodes), sharex=True)
        for ax, node, of_node in zip(axes, nodes, of_nodes, strict=True):
            auditfigures.stage_boxes(ax, of_node)
            ax.set_title(node)
            if ax is not axes[0] and not style.is_narrow() and _names(of_node) == _names(of_nodes[0]):
                ax.set_yticklabels([])
        figure.suptitle("Stages of a log line", **plates.SUPTITLE)
        return figure


def _names(stages: Sequence[Stage]) -> list[str]:
    return [stage.name for stage in stages if stage.delay.n]


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
    return Table("Stages of a log line: numbers", header, tuple(rows), note, look="dense")


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
        height = 2.7 + 2.2 * (len(measures) - 1) * style.is_narrow() + legend
        figure = style.new_figure(width=WIDTH, height=height, legend=legend, virtual=virtual)
        axes = style.panels(figure, len(measures))
        for ax, (name, label) in zip(axes, measures, strict=True):
            audit.stability(ax, clocks, measure=name, named=named)
            ax.set_title(label)
        _foot(figure, axes, columns=columns, virtual=virtual)
        return figure
