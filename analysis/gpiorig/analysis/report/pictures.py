"""The pictures of a route with their captions; the names of the main route's pictures are those of its files."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.figures import budget as budgetview
from gpiorig.analysis.figures import charts, plates, series, style, thinning
from gpiorig.analysis.figures import layers as layerview
from gpiorig.analysis.figures.series import Marks
from gpiorig.analysis.number_text import count_text, time_text
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.packets.timelines import LOST
from gpiorig.analysis.report.blocks import Lead, Picture
from gpiorig.analysis.report.conclusions import causes, period_ns, total_findings
from gpiorig.analysis.report.data import ReportData

SAME_PERIOD = 0.001  # of a period: lattices of two steps and of their sum


def _total(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> Picture:
    """Distribution of the total delay; of all round trips, also where a step is unknown."""
    lines, noun = data.timelines, evaluation.numbers.noun
    delays, summary = evaluation.route.totals, evaluation.numbers.total
    if evaluation.route.name == ROUND_TRIP and lines is not None:
        delays, summary = lines.rtt[lines.timelined], data.evaluation.delays[ROUND_TRIP]
    diagram = partial(
        charts.total_distribution,
        delays=delays,
        summary=summary,
        period_ns=evaluation.numbers.period_ns,
        expanded_ns=evaluation.expanded_ns,
        noun=noun,
        levels=_levels(evaluation),
    )
    return Picture(
        f"{prefix}total",
        partial(style.plate, diagram, height=2.7, virtual=data.virtual),
        f"Distribution of the {noun}",
        f"Bars: packets. Line: share of packets at or below (right scale){_thinned(len(delays))}. "
        f"From the send call of the application to the receive call.",
        Lead(f"{prefix}packets", "delay"),
    )


def _levels(evaluation: RouteEvaluation) -> str:
    """The levels of the total delay that attribution found, as text; empty without levels."""
    lattice = next((finding for finding in total_findings(evaluation) if finding.kind == "lattice"), None)
    if lattice is None:
        return ""
    levels = int(str(lattice.numbers["levels"]))
    of_steps = [
        int(str(finding.numbers["levels"]))
        for attribution, _ in causes(evaluation)
        for finding in attribution.findings
        if finding.kind == "lattice" and abs(period_ns(finding) / period_ns(lattice) - 1) < SAME_PERIOD
    ]
    summed = len(of_steps) > 1 and levels == sum(of_steps) - len(of_steps) + 1
    sums = f": the sums of {' and '.join(map(str, of_steps))}" if summed else ""
    return f"on {levels} levels {period_text(period_ns(lattice))} apart{sums}"


def budget(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> tuple[Picture, ...]:
    """The pictures of the budget."""
    caption = (
        "Shares of each kind of steps in the mean delay, in its variance, cov(part, delay) / var(delay), and in the "
        "excess of the slowest packets over the mean. Each bar adds up to 100 %; negative shares are left of zero."
    )
    if budgetview.shown(evaluation.budget):
        caption += " Below: every step that makes 1 % or more of either, with its 95 % interval."
    draw = partial(plates.budget, evaluation.numbers, evaluation.budget, virtual=data.virtual)
    return (Picture(f"{prefix}budget", draw, "Budget of time and jitter by kind of step", caption),)


def distributions(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> tuple[Picture, ...]:
    """The total delay, box plots of all steps, and distribution functions of those that vary most."""
    delay = _total(data, evaluation, prefix)
    boxes = Picture(
        f"{prefix}steps",
        partial(plates.steps, evaluation.numbers, virtual=data.virtual),
        "Box plots of every step",
        "Every step of the path. Thin line: smallest to largest; bar: 5 to 95 %; box: quartiles; mark: median.",
    )
    varying = plates.varying_steps(evaluation.numbers)
    if not varying:
        return delay, boxes
    caption = (
        "Distribution functions of the steps with the widest ranges, each minus its own minimum, so that steps of "
        f"different length can be compared{_thinned(len(evaluation.route))}. Steps that vary far less are not drawn."
    )
    diagram = partial(plates.step_ecdfs, numbers=evaluation.numbers, columns=varying)
    curves = partial(style.plate, diagram, height=2.7, title="The steps that vary most", virtual=data.virtual)
    ecdf = Picture(f"{prefix}ecdf", curves, "Distribution functions of the steps that vary most", caption)
    return delay, boxes, ecdf


def over_the_run(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> tuple[Picture, ...]:
    """The delay over the run, with losses and changes."""
    marks, n = _marks(data, evaluation), len(evaluation.route)
    points = "one point per packet" if n <= series.POINTS else (
        f"minimum to maximum in each of {thinning.SERIES_BINS} intervals of time as a band, the median as a line"
    )  # fmt: skip
    counts = [count_text(len(marks.gaps), "gap"), count_text(evaluation.route.lost, "lost packet")]
    counts.append(count_text(len(marks.changes), "change point"))
    diagram = partial(
        series.draw,
        starts=evaluation.route.starts,
        delays=evaluation.route.totals,
        period_ns=evaluation.numbers.period_ns,
        origin=data.analysis.events.start,
        marks=marks,
    )
    title = f"The {evaluation.numbers.noun} over the run: {', '.join(counts)}"
    draw = partial(style.plate, diagram, height=2.4, title=title, virtual=data.virtual)
    legend = (
        ("Shaded: samples that were lost.", len(marks.gaps)),
        ("Ticks at the foot: packets that did not arrive.", len(marks.losses)),
        ("Dashed: change points that attribution found.", len(marks.changes)),
    )
    caption = " ".join([f"By the time of sending, {points}.", *(words for words, n in legend if n)])
    if len(marks.losses) < evaluation.route.lost:
        caption += f" The instants of {evaluation.route.lost - len(marks.losses)} lost packets are unknown."
    lead = Lead(f"{prefix}packets", "start", data.analysis.events.start)
    return (Picture(f"{prefix}run", draw, f"The {evaluation.numbers.noun} over the run", caption, lead),)


def layers(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> Picture | None:
    """Self-time and residence."""
    times = evaluation.layers
    if times is None or not times.layers or not len(times.self_samples):
        return None
    caption = (
        "Self-time: the layer's spans minus the spans inside them. Residence: from the packet's first event of the "
        "layer to its first of the next, queueing included. "
        "Medians. Self-time can exceed residence: it includes the return of the calls, after the packet has left."
    )
    diagram = partial(layerview.layers, times=times, period_ns=evaluation.numbers.period_ns)
    title = "How long each layer worked, and how long the packet was in it"
    height = 0.9 + 0.145 * len(times.layers)
    draw = partial(style.plate, diagram, height=height, title=title, virtual=data.virtual)
    return Picture(f"{prefix}layers", draw, "Self-time and residence of each layer", caption)


def pre_emption(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> Picture | None:
    """Occupancy of the processor during the steps with most pre-emption."""
    steps = layerview.shown_steps(evaluation.occupancy)
    if not steps:
        return None
    caption = (
        "Running tasks and interrupts during the steps with the longest pre-emption, by the events of scheduler and "
        "interrupts. The rest to 100 %: the processor slept. Nothing seen: no event shows the occupant; it may be "
        "idle."
    )
    diagram = partial(
        layerview.pre_emption,
        route=evaluation.route,
        occupancy=evaluation.occupancy,
        period_ns=evaluation.numbers.period_ns,
    )
    title = "Occupancy of the processor during the steps with pre-emption"
    height = max(2.2, 1.0 + 0.27 * len(steps))
    draw = partial(style.plate, diagram, height=height, title=title, virtual=data.virtual)
    return Picture(f"{prefix}pre-emption", draw, "Occupancy of the processor during the steps", caption)


def _marks(data: ReportData, evaluation: RouteEvaluation) -> Marks:
    """Gaps and losses of the recording, change points of the total delay."""
    gaps = data.analysis.events.gaps
    losses = np.zeros(0, dtype=np.int64)
    if evaluation.route.name == ROUND_TRIP and data.timelines is not None:
        sent = data.timelines.samples[data.timelines.status == LOST, 0]
        losses = np.sort(sent[sent >= 0])
    return Marks(gaps, losses, tuple(_changes(evaluation)))


def _changes(evaluation: RouteEvaluation) -> list[int]:
    """Instants, in samples, of the change points of the total delay (numbers ``at_1_s``, …, from the first packet)."""
    rate, first = evaluation.route.steps.samplerate_hz, int(evaluation.route.starts[0])
    return [
        first + round(float(value) * rate)
        for finding in total_findings(evaluation)
        if finding.kind == "change"
        for name, value in finding.numbers.items()
        if re.fullmatch(r"at_\d+_s", name) and isinstance(value, (int, float))
    ]


def _thinned(n: int) -> str:
    if n <= thinning.ECDF_POINTS:
        return ""
    return f", drawn by {thinning.FEWER} of its {count_text(n, 'quantile')}"


def period_text(ns: float) -> str:
    """A period, with enough digits to distinguish it from its neighbours."""
    return time_text(ns, digits=4)
