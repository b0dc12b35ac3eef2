"""Sections about the occupancy of the processor, and about single packets."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.figures import layers as layerview
from gpiorig.analysis.figures import packet_boxes
from gpiorig.analysis.figures.palette import KIND_CLASSES
from gpiorig.analysis.number_text import DASH, share_text, time_text
from gpiorig.analysis.processor.occupancy import LayerTimes
from gpiorig.analysis.quantities import littles_law
from gpiorig.analysis.quantities.littles_law import Account
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.report import pictures
from gpiorig.analysis.report.blocks import Block, Details, Hero, Table, Viewer, text, why_not
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.lead import stressed_kinds
from gpiorig.analysis.report.packet_columns import columns_of

LISTED = 40  # rows of the table of occupants


def layers(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> list[Block]:
    """Self-time against residence, and pre-empting activities."""
    picture = pictures.layers(data, evaluation, prefix)
    if picture is None or evaluation.layers is None:
        reason = "The recording does not distinguish the layers: no layer has both its enter and its exit."
        return [why_not(reason), *_pre_emption(data, evaluation, prefix)]
    table = Details("Times in each layer", (_layer_table(evaluation.layers, evaluation.numbers.period_ns),))
    return [picture, table, *_pre_emption(data, evaluation, prefix)]


def queues(data: ReportData) -> list[Block]:
    """Waits and lengths of the queues, which Little's law compares; nothing where no node shows a queue."""
    rows = tuple(_queue_row(account) for account in littles_law.accounts(Recorded(data.analysis)))
    if not rows:
        return []
    header = (
        "<node", "queue", "messages/s", "wait, mean", "rate times wait", "length, mean", "at the edges", "length, most",
    )  # fmt: skip
    note = (
        "Little's law: the mean length is the rate times the mean wait, and what messages contribute that were in the "
        "queue at the start or the end. A difference is a failed check."
    )
    return [Table("Queues", header, rows, note=note)]


def _queue_row(account: Account) -> tuple[str, ...]:
    wait = time_text(account.mean_wait_ns) if account.messages else DASH
    numbers = (account.product, account.mean_length, account.at_edges / max(account.observed, 1))
    product, length, edges = (f"{number:.4g}" for number in numbers)
    rate = f"{account.rate_per_s:.4g}"
    return (account.node, str(account.queue), rate, wait, product, length, edges, str(account.most))


def packets(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> list[Block]:
    """All packets with all steps, and one of them to zoom into."""
    name, numbers = f"{prefix}packets", evaluation.numbers
    views = packet_boxes.for_route(evaluation.route, data.analysis.round_trips)
    viewer, means = Viewer(name, views), numbers.by_kind("time")
    legend = tuple(
        (look, f"{kind.text} {share_text(means[kind])}" if kind in means else kind.text)
        for kind, look in KIND_CLASSES.items()
        if kind in means or look in viewer.looks
    )
    stressed = stressed_kinds(data) if evaluation is data.evaluation.routes[0] else frozenset()
    of_jitter = " and ".join(kind.text for kind in numbers.kinds if kind in stressed)
    note = f"Percent: of the mean {numbers.noun}."
    note += f" Saturated: {of_jitter}, where the jitter comes from." if of_jitter else ""
    return [Hero(name, numbers.noun, columns_of(evaluation.route), legend, note), viewer]


def _layer_table(times: LayerTimes, period_ns: float) -> Table:
    def row(column: int) -> tuple[str, ...]:
        node, layer, direction = times.layers[column]
        own, residence = times.self_samples[:, column], times.residence_samples[:, column]
        numbers = (np.median(own), np.median(residence), own.mean(), residence.mean(), residence.max())
        return (node, layer, direction, *(time_text(float(number) * period_ns) for number in numbers))

    header = (
        "<node", "<layer", "<direction", "self-time, median", "residence, median", "self-time, mean", "residence, mean",
        "residence, max",
    )  # fmt: skip
    return Table(
        "Layers: self-time and residence", header, tuple(row(i) for i in range(len(times.layers))), look="dense"
    )


def _pre_emption(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> list[Block]:
    known = evaluation.occupancy.known
    if not known.any():
        return [why_not("Pre-emption is unknown: the nodes show no events of scheduler or tasks.")]
    unknown = int(np.count_nonzero(~known))
    unsure = f"The occupancy of {unknown} steps is unknown." if unknown else ""
    picture = pictures.pre_emption(data, evaluation, prefix)
    if picture is None:
        return [text(f"Nothing pre-empted the packets during any step whose node shows it. {unsure}".rstrip())]
    table = Details("Activities during each step", (_occupants(evaluation),))
    return [picture, table, *([text(unsure)] if unsure else [])]


def _occupants(evaluation: RouteEvaluation) -> Table:
    """Occupants of the processor during each step, the longest first."""
    occupancy, steps = evaluation.occupancy, evaluation.route.steps.steps
    rows = np.flatnonzero(occupancy.known).tolist()
    times = [
        (float(occupancy.mean_samples[i, o]), i, o)
        for i in rows
        for o in layerview.occupants(occupancy, rows)
        if occupancy.mean_samples[i, o] > 0
    ]
    times.sort(reverse=True)
    period_ns = evaluation.numbers.period_ns
    table = tuple((steps[i].name, occupancy.occupants[o], time_text(mean * period_ns)) for mean, i, o in times[:LISTED])
    rest = f"{len(times) - LISTED} shorter ones are in occupancy.parquet." if len(times) > LISTED else ""
    return Table("Activities during the steps", ("<step", "<activity", "mean time"), table, note=rest, look="dense")
