"""Frames that a radio received and no software read: their owner, by the transmissions on the air at that time.

The frame timestamp line shows them; where it is not wired, the interrupt of some radios at the start of a frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import FRAME_TIMESTAMP, LONGEST_FRAME_NS, Completions
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.frame_starts import START
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.packets.occurrences import NONE, RESET, Positions
from gpiorig.analysis.packets.transmissions import LONGEST_NS, Transmissions

PENDING = -3  # in place of a row, less the node: of its last transmission before these events; below `holders.UNCLEAR`
OTHERS, OWN, UNKNOWN, AMBIGUOUS = range(4)
WHOSE = {
    OTHERS: "of another node's transmission, or its acknowledgement",
    OWN: "of its own transmission",
    UNKNOWN: "while no node is known to have been sending",
    AMBIGUOUS: "while several nodes were sending",
}


@dataclass(frozen=True, slots=True, eq=False)
class Overheard:
    """One row per rise of a frame timestamp line, or start, that led to no reading and no end of a transmission.

    Parameters
    ----------
    positions, exits
        int64[k], of the rise and of the fall in the events, -1 if there is none.
    starts
        int64[k], of ``radio.rx_start`` of the frame, -1 if there is none.
    nodes
        int16[k], index of the node that received it.
    transmissions
        int32[k], row of the transmission, -1 if it is not known.
    whose
        uint8[k], keys of `WHOSE`.
    """

    positions: Positions
    exits: Positions
    starts: Positions
    nodes: NDArray[np.int16]
    transmissions: NDArray[np.int32]
    whose: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.positions)


def is_assigned(visits: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[n], of visits of events those that are, or are that of a `PENDING` transmission."""
    return (visits >= 0) | (visits <= PENDING)


def find(
    events: Events,
    index: Index,
    completed: Completions,
    sent: Transmissions,
    *,
    header_ns: Mapping[str, int],
    pending: Positions,
) -> Overheard:
    """Assign each overheard frame to the one transmission in progress then.

    In place of the row of a transmission before these events (`pauses.Part.pending`) it has `PENDING` less the node.
    """
    parts = [_on_node(events, index, completed, node) for node in range(len(events.node_names))]
    positions, exits, starts, nodes = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    rises = events.samples[np.where(positions >= 0, positions, starts)]
    header = np.array([events.samples_in(header_ns.get(name, 0)) for name in events.node_names], dtype=np.int64)
    of_transmission = np.full(len(positions), NONE, dtype=np.int64)
    senders = np.zeros(len(positions), dtype=np.int64)
    own = np.zeros(len(positions), dtype=bool)
    # After lost samples it is unknown what is on the air.
    interval = np.searchsorted(events.gaps[:, 1], rises, side="right")
    for node in range(len(events.node_names)):
        rows = np.flatnonzero(sent.nodes == node)
        begins, ends = sent.begins[rows], sent.ends[rows]
        if pending[node] != NONE:
            over = [pending[node] + events.samples_in(LONGEST_NS), *begins[:1]]
            over += events.samples[index.positions(RESET, node=node)[:1]].tolist()
            rows = np.append(PENDING - node, rows)
            begins, ends = np.append(pending[node], begins), np.append(min(over), ends)
        if not len(rows):
            continue
        here = nodes == node
        began = np.where(here, rises, rises - header[nodes])
        place = np.searchsorted(begins, began, side="right") - 1
        row, at = rows[np.maximum(place, 0)], np.maximum(place, 0)
        open_ = (place >= 0) & (ends[at] >= rises)
        open_ &= np.searchsorted(events.gaps[:, 1], begins[at], side="right") == interval
        own |= open_ & here
        senders += open_ & ~here
        # Its own transmission has priority: a radio that sends receives nothing.
        of_transmission = np.where(open_ & (here | ~own), row, of_transmission)
    whose = np.select([own, senders == 1, senders == 0], [OWN, OTHERS, UNKNOWN], default=AMBIGUOUS)
    return Overheard(
        positions=positions,
        exits=exits,
        starts=starts,
        nodes=nodes.astype(np.int16),
        transmissions=np.where(whose <= OWN, of_transmission, NONE).astype(np.int32),
        whose=whose.astype(np.uint8),
    )


def _on_node(
    events: Events, index: Index, completed: Completions, node: int
) -> tuple[Positions, Positions, Positions, Positions]:
    rises = index.positions(FRAME_TIMESTAMP, node=node)
    falls = index.positions(FRAME_TIMESTAMP.removesuffix("enter") + "exit", node=node)
    place = np.searchsorted(falls, rises)
    fall = np.append(falls, NONE)[place]
    following = np.append(rises[1:], len(events))[: len(rises)]
    left = completed.of[rises] < 0
    exits = np.where((fall >= 0) & (fall < following), fall, NONE)[left]
    begun = index.positions(START, node=node)
    begun = begun[completed.of[begun] == begun]
    of_rise, alone = _of_rises(events, begun, rises, left)
    nothing = np.full(len(alone), NONE, dtype=np.int64)
    return (
        np.concatenate([rises[left], nothing]),
        np.concatenate([exits, nothing]),
        np.concatenate([of_rise, alone]),
        np.full(len(exits) + len(alone), node, dtype=np.int64),
    )


def _of_rises(
    events: Events, begun: Positions, rises: Positions, left: NDArray[np.bool_]
) -> tuple[Positions, Positions]:
    """Of each rise that is left the start that was reported of its frame, -1 for none; starts without a rise."""
    place = np.searchsorted(rises, begun) - 1
    age = events.samples[begun] - events.samples[rises[place]] if len(rises) else begun
    close = (place >= 0) & (age <= events.samples_in(LONGEST_FRAME_NS))
    of_rise = np.full(len(rises), NONE, dtype=np.int64)
    of_rise[place[close]] = begun[close]
    matched = np.isin(begun, of_rise[left])
    return of_rise[left], begun[~matched]
