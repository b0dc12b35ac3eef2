"""The section of the quantities requested by name."""

from __future__ import annotations

import math
import re
from functools import partial
from itertools import groupby

import numpy as np

from gpiorig.analysis.compare.assertions import value_text
from gpiorig.analysis.figures import quantities, style
from gpiorig.analysis.number_text import DASH, NS_PER_S, number_text, prefixed_text, time_text
from gpiorig.analysis.quantities import delay_stability
from gpiorig.analysis.quantities.series import Series
from gpiorig.analysis.report.blocks import Block, Picture, Section, Table
from gpiorig.analysis.report.clocks import draw_stability
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.statistics.statistic_names import SPREADS

STATISTICS = ("min", "median", "mean", "p99", "max", "p2p")


def sections(data: ReportData, prefix: str) -> list[Section]:
    """The section, if any quantity was asked for: a table of all, and a figure of each that has a distribution."""
    if not data.quantities:
        return []
    header = ("<quantity", "<node", "values", "lacking", "min; or the one value", *STATISTICS[1:])
    note = "Lacking: lost packets, missing milestones, spans without an exit, lost samples."
    if any(one.doubt for one in data.quantities):
        note += " ± is what the values may be off (k = 2), whatever their number."
    table = Table("Quantities by name", header, tuple(_row(one) for one in data.quantities), note=note)
    blocks: list[Block] = [table]
    for quantity, group in groupby(data.quantities, key=lambda one: one.quantity):
        series = [one for one in group if len(one.values)]
        if quantity.kind.single or not series:
            continue
        stem = re.sub(r"[^a-z0-9]+", "-", quantity.name.lower()).strip("-")
        draw = partial(style.plate, partial(quantities.ecdf, series=series), height=2.8, virtual=data.virtual)
        caption = f"Distribution functions of `{quantity.name}`, one for each node or pair of nodes."
        blocks.append(Picture(f"{prefix}quantity-{stem}", draw, f"Distribution of {quantity.name}", caption))
    blocks += _stability(data, prefix)
    return [Section("quantities", "Quantities", tuple(blocks))]


def _stability(data: ReportData, prefix: str) -> list[Block]:
    """MTIE and TDEV of the delays over the observation interval, where they vary, and a table with MAVAR."""
    delays = delay_stability.of_series(data.quantities, data.analysis.events.samplerate_hz)
    delays = tuple(one for one in delays if (np.nan_to_num(one.mtie_ns) > 0).any())
    if not delays:
        return []
    measures = [("mtie_ns", "MTIE"), ("tdev_ns", "TDEV")]
    draw = partial(draw_stability, delays, measures, virtual=data.virtual)
    caption = "Maximum time interval error and time deviation (ITU-T G.810) of delays over the observation interval."
    picture = Picture(f"{prefix}delay-stability", draw, "Stability of the delays", caption)
    rows = tuple(
        (one.clock, *(time_text(ns) for ns in (tau_s * NS_PER_S, mtie, tdev)), _plain(mavar), number_text(one.n))
        for one in delays
        for tau_s, mtie, tdev, mavar in zip(
            one.taus_s, one.mtie_ns, one.tdev_ns, delay_stability.mavars(one), strict=True
        )
    )
    header = ("<quantity", "interval", "MTIE", "TDEV", "MAVAR", "values")
    note = "ITU-T G.810 (1996), appendix II; the phase is the delay of each packet, on a grid of their median distance."
    return [picture, Table("Stability of the delays", header, rows, note=note)]


def _plain(number: float) -> str:
    return DASH if math.isnan(number) else f"{number:.3g}"


def _row(one: Series) -> tuple[str, ...]:
    head = (one.quantity.name, one.node, number_text(len(one.values)), number_text(one.lacking))
    if one.quantity.kind.single:
        return (*head, _text(one, one.interval("").value, one.doubt), *([DASH] * (len(STATISTICS) - 1)))
    if not len(one.values):
        return (*head, *([DASH] * len(STATISTICS)))
    levels = [(name, 0.0 if name in SPREADS else one.doubt) for name in STATISTICS]
    return (*head, *(_text(one, one.interval(name).value, doubt) for name, doubt in levels))


def _text(one: Series, value: float, doubt: float) -> str:
    unit = one.quantity.kind.unit
    return value_text(value, unit) + (f" ± {prefixed_text(doubt, unit.value, digits=2)}" if doubt else "")
