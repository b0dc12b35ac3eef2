"""Spans, from the enter of a point to its exit: those of one packet for drawing, those of a recording for traces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.event_table import BY_CODE
from gpiorig.analysis.events import Events
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


def pairs(events: Events) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Enter and exit of every span of a recording whose ends were both seen, without lost samples between them.

    An exit ends the latest open enter of its point and node with the same id, else the latest without an id: spans of
    several packets may be open at once.

    Returns
    -------
    enters, exits
        int64[s], positions in the events, in the order of the exits.
    """
    enters, exits = [], []
    open_at: dict[int, list[tuple[int, int]]] = {}
    stretch = np.searchsorted(events.gaps[:, 1], events.samples, side="right").tolist()
    kinds = {code: event.kind for code, event in BY_CODE.items()}
    keys = (events.nodes.astype(np.int64) << 8 | events.codes).tolist()
    codes, ids = events.codes.tolist(), events.ids.tolist()
    for position, (key, code, identity) in enumerate(zip(keys, codes, ids, strict=True)):
        if kinds[code] == "enter":
            open_at.setdefault(key, []).append((position, identity))
        elif kinds[code] == "exit" and (waiting := open_at.get(key - 1)):  # an exit's code follows its enter's
            place = _matching([known for _, known in waiting], identity)
            if place >= 0:
                enter = waiting.pop(place)[0]
                if stretch[enter] == stretch[position]:
                    enters.append(enter)
                    exits.append(position)
    return np.array(enters, dtype=np.int64), np.array(exits, dtype=np.int64)


def _matching(waiting: list[int], identity: int) -> int:
    """Place of the latest enter that an exit with an id (-1 none) ends, -1 if there is none."""
    for wanted in (identity, -1):
        if wanted in waiting:
            return len(waiting) - 1 - waiting[::-1].index(wanted)
    return len(waiting) - 1 if identity < 0 else -1
