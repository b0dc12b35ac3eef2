"""Causes of the jitter: the findings of attribution for every step, and folds over their periods."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from gpiorig.analysis.attribution import covariates
from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.figures import plates, series, style
from gpiorig.analysis.figures.plates import WIDTH
from gpiorig.analysis.number_text import count_text, share_text
from gpiorig.analysis.report.blocks import Block, Details, Picture, Table, text, why_not
from gpiorig.analysis.report.conclusions import causes, period_ns, sentence_of
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.pictures import period_text
from gpiorig.analysis.report.texts import joined_steps, p_text
from gpiorig.analysis.statistics.intervals import Interval

MAX_FOLDS = 4


def blocks(data: ReportData, view: RouteEvaluation, prefix: str) -> list[Block]:
    """Sentences, folds, and the table of all findings."""
    attributed = causes(view)
    if not attributed:
        return [why_not("The route has no steps.")]
    structured = [attribution for attribution, _ in attributed if attribution.findings]
    rest = [attribution for attribution, _ in attributed if not attribution.findings]
    level, tests = attributed[0][0].level, sum(attribution.tests for attribution, _ in attributed)
    opening = (
        f"{count_text(tests, 'test')} on {count_text(len(attributed), 'step')}; the chance of any finding in a step "
        f"without structure is {share_text(level)}."
    )
    if not structured:
        opening = f"No finding: no step shows a structure. {opening}"
    content: list[Block] = [text(opening)]
    if structured:
        content.append(text(*(sentence_of(attribution) for attribution in structured), look="findings"))
    total = view.attributions[-1]
    if total.step not in {attribution.step for attribution, _ in attributed}:
        content.append(text(f"The total {view.numbers.noun}: {total.sentence}"))
    content += folds(data, view, prefix)
    if structured:
        content.append(Details("Every finding with its evidence", (_table(attributed),)))
    if rest:
        content.append(Details(f"Steps without a finding: {len(rest)}", (text(*_without_finding(rest)),)))
    return content


def _without_finding(attributions: Sequence[Attribution]) -> list[str]:
    """The sentences on steps without a finding, each once, with the names of its steps."""
    by_sentence: dict[str, list[str]] = {}
    for attribution in attributions:
        by_sentence.setdefault(attribution.sentence, []).append(attribution.step)
    return [
        f"{sentence} {f'{len(names)} steps: ' if len(names) > 1 else ''}{joined_steps(names)}."
        for sentence, names in by_sentence.items()
    ]


def folds(data: ReportData, view: RouteEvaluation, prefix: str) -> list[Picture]:
    """Delays folded over the periods of the findings, the largest part of the jitter first."""
    drawn = [
        _fold(data, view, attribution, finding, f"{prefix}fold-{number + 1}")
        for number, (attribution, finding) in zip(range(MAX_FOLDS), _periodic(view), strict=False)
    ]
    return [picture for picture in drawn if picture is not None]


def _periodic(view: RouteEvaluation) -> Iterator[tuple[Attribution, Finding]]:
    for attribution, _ in causes(view):
        for finding in attribution.findings:
            period = period_ns(finding)
            if finding.kind in {"lattice", "beat"} and math.isfinite(period) and period > 0:
                yield attribution, finding


def _fold(
    data: ReportData, view: RouteEvaluation, attribution: Attribution, finding: Finding, name: str
) -> Picture | None:
    column = next((i for i, step in enumerate(view.route.steps.steps) if step.name == attribution.step), None)
    if column is None:
        return None
    period = period_ns(finding)
    title = f"{attribution.step}, folded over {period_text(period)}"
    if finding.kind == "lattice":
        caption = (
            "The packets on each level, and their distance from the nearest level; without a lattice "
            f"it would be spread evenly up to {period_text(period / 2)}."
        )
    else:
        caption = "A delay that meets a periodic activity depends on the phase at which it begins; others do not."
        if len(view.route) > series.POINTS:
            caption += " Only the medians are drawn, because there are many packets."
    return Picture(name, partial(_draw_fold, view, column, finding, title, virtual=data.virtual), title, caption)


def _draw_fold(view: RouteEvaluation, column: int, finding: Finding, title: str, *, virtual: bool) -> Figure:
    """The durations in a column over the period of its lattice or beat."""
    sample_ns, period = view.numbers.period_ns, period_ns(finding)
    starts, delays = covariates.begin(view.route, column), view.route.steps.column(column)
    with style.paper():
        two = finding.kind == "lattice"
        figure = style.new_figure(width=WIDTH, height=2.3 * (2 if two and style.is_narrow() else 1), virtual=virtual)
        if two:
            ax, residuals = style.panels(figure, 2)
            series.fold_lattice(ax, residuals, delays, period_ns=sample_ns, lattice_ns=period)
        else:
            order = np.argsort(starts, kind="stable")
            series.fold_beat(figure.subplots(), starts[order], delays[order], period_ns=sample_ns, beat_ns=period)
        figure.suptitle(title, **plates.SUPTITLE)
        return figure


def _table(attributed: list[tuple[Attribution, float]]) -> Table:
    rows = tuple(
        (attribution.step, finding.kind, share_text(finding.share), p_text(finding.p_value), _numbers(finding))
        for attribution, _ in attributed
        for finding in attribution.findings
    )
    header = ("<step", "<kind", "share of its variance", "p-value", "<estimated")
    return Table("Findings", header, rows)


def _numbers(finding: Finding) -> str:
    return "; ".join(f"{name} = {_number(value)}" for name, value in finding.numbers.items())


def _number(value: Interval | float | int | str) -> str:
    if isinstance(value, Interval):
        ends = f" ({value.low:.6g} to {value.high:.6g})" if math.isfinite(value.low) else ""
        return f"{value.value:.6g}{ends}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
