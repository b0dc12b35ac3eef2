"""The pictures of a route, each with its caption. Names of the main route's are those of its files."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from gpiorig.analysis.attribution.attribute import TOTAL
from gpiorig.analysis.figures import budget as budgetview
from gpiorig.analysis.figures import layers as layerview
from gpiorig.analysis.figures import plates, series, thinning
from gpiorig.analysis.figures.series import Marks
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.packets.timelines import LOST
from gpiorig.analysis.quantity import count_text, time_text
from gpiorig.analysis.report.blocks import Picture
from gpiorig.analysis.report.conclusions import period_ns
from gpiorig.analysis.report.data import ReportData, RouteView


def total(data: ReportData, view: RouteView, prefix: str) -> Picture:
    """Distribution of the whole delay; of round trips all that have one, also where a step is unknown."""
    lines = data.timelines
    delays = view.route.totals
    if view.route.name == ROUND_TRIP and lines is not None:
        delays = lines.rtt[lines.timelined]
    lost = view.route.lost
    words = {"noun": view.noun, "levels": _levels(view)}
    return Picture(
        f"{prefix}total",
        partial(plates.total, view.numbers, delays, lost=lost, virtual=data.virtual, **words),
        f"Distribution of the {view.noun}",
        f"Bars: packets. Line: share of packets at or below (right scale){_thinned(len(delays))}. "
        f"From the send call of the application to the receive call.",
    )


def _levels(view: RouteView) -> str:
    """On which levels attribution found the whole delay to lie, in words; empty if on none."""
    whole = [each for each in view.study.attributions if each.step == TOTAL] if view.study is not None else []
    for finding in (finding for each in whole for finding in each.findings if finding.kind == "lattice"):
        return f"on {finding.numbers['levels']} levels {period_text(period_ns(finding))} apart"
    return ""


def budget(data: ReportData, view: RouteView, prefix: str) -> Picture:
    """The budget."""
    found = view.study.budget if view.study is not None else None
    caption = (
        "What the mean delay consists of, which share each part has in its variance, cov(part, delay) / var(delay), "
        "and which in what the slowest packets take longer than the mean. Each bar adds up to 100 %; negative shares "
        "stand to the left of zero."
    )
    if found is not None and budgetview.shown(found):
        caption += " Below: every step that makes 1 % or more of either, with its 95 % interval."
    draw = partial(plates.budget, view.numbers, found, virtual=data.virtual)
    return Picture(f"{prefix}budget", draw, "Budget of time and jitter by kind of step", caption)


def distributions(data: ReportData, view: RouteView, prefix: str) -> list[Picture]:
    """Box plots of all steps, and distribution functions of those that vary most."""
    boxes = Picture(
        f"{prefix}steps",
        partial(plates.steps, view.numbers, virtual=data.virtual),
        "Box plots of every step",
        "Every step of the path. Thin line: smallest to largest; bar: 5 to 95 %; box: quartiles; mark: median.",
    )
    varying = plates.varying_steps(view.numbers)
    if not varying:
        return [boxes]
    caption = (
        "Distribution functions of the steps with the widest ranges, each counted from its own least, so that steps of "
        f"different length can be compared{_thinned(len(view.route))}. Steps that vary far less are not drawn."
    )
    curves = partial(plates.step_ecdfs, view.numbers, varying, virtual=data.virtual)
    return [boxes, Picture(f"{prefix}ecdf", curves, "Distribution functions of the steps that vary most", caption)]


def over_the_run(data: ReportData, view: RouteView, prefix: str) -> Picture:
    """The delay over the run, with what was lost and where it changed."""
    marks, n = _marks(data, view), len(view.route)
    points = "one point per packet" if n <= series.POINTS else (
        f"least to largest in each of {thinning.SERIES_BINS} stretches of time as a band, the median as a line"
    )  # fmt: skip
    said = [count_text(len(marks.gaps), "gap"), count_text(view.route.lost, "lost packet")]
    said.append(count_text(len(marks.changes), "change point"))
    draw = partial(
        plates.over_the_run,
        view.numbers,
        origin=data.analysis.events.start,
        marks=marks,
        title=f"The {view.noun} over the run: {', '.join(said)}",
        virtual=data.virtual,
    )
    legend = (
        ("Shaded: samples that were lost.", len(marks.gaps)),
        ("Ticks at the foot: packets that did not arrive.", len(marks.losses)),
        ("Dashed: change points that attribution found.", len(marks.changes)),
    )
    caption = " ".join([f"By the time of sending, {points}.", *(words for words, n in legend if n)])
    if len(marks.losses) < view.route.lost:
        caption += f" Of {view.route.lost - len(marks.losses)} lost packets the instant is not known."
    return Picture(f"{prefix}run", draw, f"The {view.noun} over the run", caption)


def layers(data: ReportData, view: RouteView, prefix: str) -> Picture | None:
    """Self-time and residence."""
    times = view.study.layers if view.study is not None else None
    if times is None or not times.layers or not len(times.self_samples):
        return None
    caption = (
        "Self-time: the layer's spans less the spans inside them. Residence: from the packet's first event of the "
        "layer to its first of the next, queueing included. "
        "Medians. Self-time can exceed residence: it holds the calls' way back, after the packet has left the layer."
    )
    draw = partial(plates.layers, times, period_ns=view.numbers.period_ns, virtual=data.virtual)
    return Picture(f"{prefix}layers", draw, "Self-time and residence of each layer", caption)


def pre_emption(data: ReportData, view: RouteView, prefix: str) -> Picture | None:
    """Who ran in the way."""
    occupancy = view.study.occupancy if view.study is not None else None
    if occupancy is None or not layerview.shown_steps(occupancy):
        return None
    caption = (
        "What ran within the steps in which something off the packet's path ran longest, by the events of scheduler "
        "and interrupts. What is left of 100 % the processor slept. Nothing seen: no event says who had it; it may "
        "have been idle."
    )
    draw = partial(plates.pre_emption, view.numbers, occupancy, virtual=data.virtual)
    return Picture(f"{prefix}pre-emption", draw, "Who had the processor within the steps", caption)


def _marks(data: ReportData, view: RouteView) -> Marks:
    """Gaps and losses of the recording, change points of the whole delay."""
    gaps = data.analysis.events.gaps
    losses = np.zeros(0, dtype=np.int64)
    if view.route.name == ROUND_TRIP and data.timelines is not None:
        sent = data.timelines.samples[data.timelines.status == LOST, 0]
        losses = np.sort(sent[sent >= 0])
    return Marks(gaps, losses, tuple(_changes(view)))


def _changes(view: RouteView) -> list[int]:
    """Instants, in samples, of the change points of the whole delay (numbers ``at_1_s``, …, from the first packet)."""
    if view.study is None or not view.study.attributions:
        return []
    rate, first = view.route.steps.samplerate_hz, int(view.route.starts[0])
    return [
        first + round(float(value) * rate)
        for finding in view.study.attributions[-1].findings
        if finding.kind == "change"
        for name, value in finding.numbers.items()
        if re.fullmatch(r"at_\d+_s", name) and isinstance(value, (int, float))
    ]


def _thinned(n: int) -> str:
    if n <= thinning.ECDF_POINTS:
        return ""
    return f", drawn by {thinning.ECDF_POINTS} of its {count_text(n, 'quantile')}"


def period_text(ns: float) -> str:
    """A period, with enough digits to tell it from its neighbours."""
    return time_text(ns, digits=4)
