"""Sections about who had the processor, and about the packets themselves."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.figures import layers as layerview
from gpiorig.analysis.figures import packet_boxes
from gpiorig.analysis.processor.occupancy import LayerTimes, Occupancy
from gpiorig.analysis.quantity import time_text
from gpiorig.analysis.report import pictures
from gpiorig.analysis.report.blocks import Block, Details, Table, Viewer, text, why_not
from gpiorig.analysis.report.data import ReportData, RouteView

LISTED = 40  # rows of the table of occupants


def layers(data: ReportData, view: RouteView, prefix: str) -> list[Block]:
    """Self-time against residence, and what ran in the way."""
    if view.study is None:
        return [why_not("Layers and pre-emption were not computed for this recording.")]
    times, occupancy = view.study.layers, view.study.occupancy
    found: list[Block] = []
    picture = pictures.layers(data, view, prefix)
    if picture is None or times is None:
        found.append(why_not("The recording does not tell the layers apart: no layer has both its enter and its exit."))
    else:
        found += [picture, _layer_table(times, view.numbers.period_ns)]
    return found + _pre_emption(data, view, occupancy, prefix)


def packets(data: ReportData, view: RouteView, prefix: str) -> list[Block]:
    """The packets to zoom into."""
    shown = packet_boxes.of_route(view.route, data.analysis.round_trips)
    return [Viewer(f"{prefix}packets", shown)]


def _layer_table(times: LayerTimes, period_ns: float) -> Table:
    def row(column: int) -> tuple[str, ...]:
        node, layer, direction = times.layers[column]
        own, stay = times.self_samples[:, column], times.residence_samples[:, column]
        numbers = (np.median(own), np.median(stay), own.mean(), stay.mean(), stay.max())
        return (node, layer, direction, *(time_text(float(number) * period_ns) for number in numbers))

    header = (
        "<node", "<layer", "<direction", "self-time, median", "residence, median", "self-time, mean", "residence, mean",
        "residence, max",
    )  # fmt: skip
    return Table("Layers: self-time and residence", header, tuple(row(i) for i in range(len(times.layers))))


def _pre_emption(data: ReportData, view: RouteView, occupancy: Occupancy | None, prefix: str) -> list[Block]:
    if occupancy is None or not occupancy.known.any():
        return [why_not("Who ran in a packet's way is unknown: the nodes show no events of scheduler or tasks.")]
    unknown = int(np.count_nonzero(~occupancy.known))
    picture = pictures.pre_emption(data, view, prefix)
    unsure = f" Of {unknown} steps the recording cannot tell." if unknown else ""
    if picture is None:
        return [text(f"Nothing off the packets' path ran within any step whose node shows it.{unsure}")]
    table = Details("What ran within which step", (_occupants(view, occupancy),))
    return [picture, table, *([text(unsure.strip())] if unsure else [])]


def _occupants(view: RouteView, occupancy: Occupancy) -> Table:
    """Who ran within which step, the longest first."""
    rows = np.flatnonzero(occupancy.known).tolist()
    pairs = [
        (float(occupancy.mean_samples[i, o]), i, o)
        for i in rows
        for o in layerview.occupants(occupancy, rows)
        if occupancy.mean_samples[i, o] > 0
    ]
    pairs.sort(reverse=True)
    period_ns = view.numbers.period_ns
    table = tuple(
        (view.route.steps.steps[i].name, occupancy.occupants[o], time_text(mean * period_ns))
        for mean, i, o in pairs[:LISTED]
    )
    rest = f"{len(pairs) - LISTED} shorter ones are in preemption.csv." if len(pairs) > LISTED else ""
    return Table("What ran within the steps", ("<step", "<what ran", "mean time"), table, note=rest)
