"""Spans of one packet: from the enter of a point to its exit, for drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpiorig.analysis.event_table import BY_CODE
from gpiorig.analysis.packets import Packets


@dataclass(frozen=True, slots=True)
class Span:
    """One span of one packet on one node.

    Parameters
    ----------
    point
        Its point, such as ``udp.tx``.
    layer
        The layer of the point.
    node
        Name of the node.
    direction
        path.REQUEST or path.REPLY.
    start, end
        Samples of enter and exit.
    """

    point: str
    layer: str
    node: str
    direction: int
    start: int
    end: int


def of_packet(packets: Packets, row: int) -> list[Span]:
    """All spans of a packet whose enter and exit were both seen, in the order of their enters."""
    events = packets.events
    open_at: dict[tuple[int, str, int], list[int]] = {}
    spans = []
    for position in np.flatnonzero(packets.packet_of == row).tolist():
        event = BY_CODE[int(events.codes[position])]
        point = event.name.rpartition(".")[0]
        node, direction = int(events.nodes[position]), int(packets.direction_of[position])
        key = (node, point, direction)
        if event.kind == "enter":
            open_at.setdefault(key, []).append(int(events.samples[position]))
        elif event.kind == "exit" and open_at.get(key):
            start = open_at[key].pop()
            name = events.node_names[node]
            spans.append(Span(point, event.layer, name, direction, start, int(events.samples[position])))
    return sorted(spans, key=lambda span: (span.start, -span.end))
