"""The energy of the nodes of a recording: by power traces, or estimated from states and the boards' currents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpiorig.analysis.energy.node_energy import ESTIMATE, MEASURED, NodeTime
from gpiorig.analysis.energy.powered import Powered
from gpiorig.analysis.energy.segments import Segments
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.number_text import prefixed_text, share_text
from gpiorig.analysis.tables import energy
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings.opened import Opened
from gpiorig.rig.recordings.power_file import PowerFile
from gpiorig.rig.results.powered import named, powered
from gpiorig.rig.results.supplies import supply

if TYPE_CHECKING:
    import pyarrow as pa

Part = tuple[NodeTime, Segments, str]


def table(opened: Opened, analysis: Analysis, power: Sequence[PowerFile]) -> tuple[pa.Table, list[str]]:
    """The table of energies: of the nodes with a power trace, or without any trace estimates of all nodes.

    Returns
    -------
    tuple
        The table, and what is to be stated of it.

    Raises
    ------
    RigError
        There is no node with events whose board states currents; errors of `powered`.
    """
    traces = [(file.node, powered(opened, file)) for file in named(opened, power)]
    parts = [*(measured(analysis, traces) if traces else estimated(opened, analysis))]
    if not parts:
        raise RigError(
            f"{opened.recording.folder}: no node has events and a board whose file states its currents; give a power "
            "trace with --power."
        )
    sentences = [trace.sentence for _, trace in traces] + [sentence(*part) for part in parts]
    return energy.table(analysis, parts), sentences


def measured(analysis: Analysis, traces: Sequence[tuple[str, Powered]]) -> Iterator[Part]:
    """The nodes that have a power trace."""
    for node, power in traces:
        time = NodeTime(analysis, node)
        yield time, time.measured(power.trace, power.clock, clock_ppm=power.clock_ppm), MEASURED


def estimated(opened: Opened, analysis: Analysis) -> Iterator[Part]:
    """The nodes whose boards state currents, and that have events."""
    for node, board in opened.boards.items():
        drawn = supply(board)
        if drawn is None:
            continue
        try:
            time = NodeTime(analysis, node)
        except EventError:
            continue
        yield time, time.estimated(drawn), ESTIMATE


def sentence(time: NodeTime, segments: Segments, kind: str) -> str:
    """The energy of a node; of an estimate also the share of time in which the pins do not show its state."""
    of_node = segments.labelled(np.zeros_like(time.durations), 1)
    amount = "the trace lacks a part of its time"
    if np.isfinite(of_node.joules[0]):
        doubt = prefixed_text(float(of_node.expanded[0]), "J", digits=2)
        amount = f"{prefixed_text(float(of_node.joules[0]), 'J')} ± {doubt}"
    unshown = "" if kind == MEASURED else f"; in {share_text(time.unshown)} of the time the pins do not show a state"
    return f"{time.node}: {amount}, {kind}{unshown}."
