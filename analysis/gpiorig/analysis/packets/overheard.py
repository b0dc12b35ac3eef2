"""Frames that a radio received and no software read: their owner, by the transmissions on the air at that time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import FRAME_TIMESTAMP, Completions, Index
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.occurrences import NONE, Positions
from gpiorig.analysis.packets.transmissions import Transmissions

OTHERS, OWN, UNKNOWN, AMBIGUOUS = range(4)
WHOSE = {
    OTHERS: "of another node's transmission, or its acknowledgement",
    OWN: "of its own transmission",
    UNKNOWN: "while no node is known to have been sending",
    AMBIGUOUS: "while several nodes were sending",
}


@dataclass(frozen=True, slots=True, eq=False)
class Overheard:
    """One row per rise of a frame timestamp line that led to no reading and to no end of a transmission.

    Parameters
    ----------
    positions, exits
        int64[k], of the rise and of the fall in the events; the fall -1 if there is none.
    nodes
        int16[k], index of the node that received it.
    transmissions
        int32[k], row of the transmission, -1 if it is not known.
    whose
        uint8[k], keys of `WHOSE`.
    """

    positions: Positions
    exits: Positions
    nodes: NDArray[np.int16]
    transmissions: NDArray[np.int32]
    whose: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.positions)


def find(
    events: Events, index: Index, completed: Completions, sent: Transmissions, *, header_ns: Mapping[str, int]
) -> Overheard:
    """Assign each overheard frame to the one transmission in progress then."""
    parts = [_on_node(events, index, completed, node) for node in range(len(events.node_names))]
    positions, exits, nodes = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    rises = events.samples[positions]
    header = np.array([_samples(events, header_ns.get(name, 0)) for name in events.node_names], dtype=np.int64)
    of_transmission = np.full(len(positions), NONE, dtype=np.int64)
    senders = np.zeros(len(positions), dtype=np.int64)
    own = np.zeros(len(positions), dtype=bool)
    # After lost samples it is unknown what is on the air.
    interval, interval_of_sent = (np.searchsorted(events.gaps[:, 1], at, side="right") for at in (rises, sent.begins))
    for node in range(len(events.node_names)):
        rows = np.flatnonzero(sent.nodes == node)
        if not len(rows):
            continue
        here = nodes == node
        began = np.where(here, rises, rises - header[nodes])
        place = np.searchsorted(sent.begins[rows], began, side="right") - 1
        row = rows[np.maximum(place, 0)]
        open_ = (place >= 0) & (sent.ends[row] >= rises) & (interval_of_sent[row] == interval)
        own |= open_ & here
        senders += open_ & ~here
        # Its own transmission has priority: a radio that sends receives nothing.
        of_transmission = np.where(open_ & (here | ~own), row, of_transmission)
    whose = np.select([own, senders == 1, senders == 0], [OWN, OTHERS, UNKNOWN], default=AMBIGUOUS)
    return Overheard(
        positions=positions,
        exits=exits,
        nodes=nodes.astype(np.int16),
        transmissions=np.where(whose <= OWN, of_transmission, NONE).astype(np.int32),
        whose=whose.astype(np.uint8),
    )


def _on_node(events: Events, index: Index, completed: Completions, node: int) -> tuple[Positions, Positions, Positions]:
    rises = index.positions(FRAME_TIMESTAMP, node=node)
    falls = index.positions(FRAME_TIMESTAMP.removesuffix("enter") + "exit", node=node)
    place = np.searchsorted(falls, rises)
    fall = np.append(falls, NONE)[place]
    following = np.append(rises[1:], len(events))[: len(rises)]
    left = completed.of[rises] < 0
    exits = np.where((fall >= 0) & (fall < following), fall, NONE)[left]
    return rises[left], exits, np.full(len(exits), node, dtype=np.int64)


def _samples(events: Events, ns: int) -> int:
    return round(Fraction(ns, NS_PER_S) * events.samplerate_hz)
