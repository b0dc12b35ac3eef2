"""The cost of a probe, from the calibration burst that firmware sends at boot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays.instruments import Node
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.steps import Steps
from gpiorig.analysis.packets.timelines import Timelines

LAST_BUS_CODE = 127

# Bits of a frame: without id, and what the id adds (docs/reference/line-code.md).
_BITS, _BITS_OF_ID = 12, 16


@dataclass(frozen=True, slots=True)
class Price:
    """What an event costs a node; float64 ns.

    Parameters
    ----------
    with_id, with_id_standard
        Of one with an id: the mean spacing of the burst, and its standard uncertainty.
    without_id, without_id_width
        Of one without: middle and half width of what is possible. Its frame has 12 bits of 28, so it costs 12/28 of
        the other if symbols are all that costs, and is cheaper by 16 bits of the shortest symbols at least.
    lead_width
        The instant of an event is its first strobe edge, which comes at most twice this after the call: what the
        shortest symbols and the frame gap leave of the cost. The middle is taken.
    """

    with_id: float
    with_id_standard: float
    without_id: float
    without_id_width: float
    lead_width: float


def probe_cost(events: Events, *, node: str) -> NDArray[np.int64]:
    """Spacing of the events of the calibration bursts of a node.

    The burst is `rig.calibrate` events back to back, ids counting up from 0, so the spacing of two with successive ids
    is what one event with an id costs the firmware, call and loop included.

    Returns
    -------
    numpy.ndarray
        int64, in samples; empty if there was no burst.
    """
    in_burst = events.positions("rig.calibrate", node=events.node(node))
    samples, ids = events.samples[in_burst], events.ids[in_burst]
    successive = np.diff(ids) == 1
    spacing: NDArray[np.int64] = np.diff(samples)[successive]
    return spacing


def events_within(events: Events, timelines: Timelines, steps: Steps) -> NDArray[np.int64]:
    """How many events a node sent on its symbol bus within each step: what the step owes to the probes.

    Returns
    -------
    numpy.ndarray
        int64, one per step: the median over the packets. Of a step between two nodes, events of the node it is named
        after; 0 on the air.
    """
    counts = np.zeros(len(steps.steps), dtype=np.int64)
    if not len(steps.rows):
        return counts
    sent = {
        name: events.samples[(events.nodes == node) & (events.codes <= LAST_BUS_CODE)]
        for node, name in enumerate(events.node_names)
    }
    for column, step in enumerate(steps.steps):
        if step.node in sent:
            start, end = (timelines.column(end.name)[timelines.complete] for end in (step.start, step.end))
            within = np.searchsorted(sent[step.node], end) - np.searchsorted(sent[step.node], start)
            counts[column] = int(np.median(within))
    return counts


def price(events: Events, *, node: str, known: Node) -> Price | None:
    """What an event costs a node; None without a calibration burst."""
    spacing = probe_cost(events, node=node)
    if not len(spacing):
        return None
    period_ns = float(NS_PER_S / events.samplerate_hz)
    one_ns = float(spacing.mean()) * period_ns
    spread_ns = float(spacing.std(ddof=1)) * period_ns if len(spacing) > 1 else period_ns
    low = one_ns * _BITS / (_BITS + _BITS_OF_ID)
    high = max(low, one_ns - known.symbol_ns * _BITS_OF_ID / known.bus_width)
    symbols = (_BITS + _BITS_OF_ID) / known.bus_width
    lead = max(0.0, one_ns - known.symbol_ns * (symbols - 1) - known.frame_gap_ns)
    return Price(one_ns, spread_ns / math.sqrt(len(spacing)), (low + high) / 2, (high - low) / 2, lead / 2)
