"""The legs of round trips: the hops of each request and reply."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import NONE, Positions, values_at
from gpiorig.analysis.packets.trip_pairs import Pairing


@dataclass(frozen=True, slots=True)
class Legs:
    """The path that most round trips took, and the rows of its hops.

    Parameters
    ----------
    nodes
        Names; the initiator comes first and last.
    turn
        Place of the first hop of the reply.
    sent, read
        Per hop int64[p], the row of the hops that shows how it was sent and how it was read, -1 for none.
    strange
        Per hop int64[p], the row of `Hops.strange` where the sender is not known, -1 for none.
    further
        Per hop int64[p], the row of `Hops.further` where a further delivery caused the reply, -1 for none.
    """

    nodes: tuple[str, ...]
    turn: int
    sent: tuple[Positions, ...]
    read: tuple[Positions, ...]
    strange: tuple[Positions, ...]
    further: tuple[Positions, ...]


def legs_of(hops: Hops, pairing: Pairing, ends: tuple[int, int]) -> Legs:
    """The legs of the round trips between two ends, by the path that most of them took."""
    out = _path(hops, pairing.delivered, ends)
    back = _path(hops, pairing.arrived, ends[::-1])
    strange_of = np.full(len(hops.visits), NONE, dtype=np.int64)
    strange_of[hops.strange.visits] = np.arange(len(hops.strange.visits))
    sent, read, strange, further = [], [], [], []
    for nodes, packets, end in ((out, pairing.requests, pairing.delivered), (back, pairing.replies, pairing.arrived)):
        for place, (sender, receiver) in enumerate(pairwise(nodes)):
            rows, reached = _hop_rows(hops, place + 1, sender, receiver)
            row = values_at(rows, packets)
            sent.append(row)
            read.append(np.where((row >= 0) & reached[np.maximum(row, 0)], row, NONE))
            is_final = place == len(nodes) - 2
            strange.append(values_at(strange_of, end) if is_final else np.full(len(packets), NONE, dtype=np.int64))
            caused = pairing.caused if nodes is out else np.full(len(packets), NONE, dtype=np.int64)
            further.append(_further_rows(hops, caused, place + 1))
    names = hops.events.node_names
    path_names = tuple(names[node] for node in (*out, *back[1:]))
    return Legs(path_names, len(out) - 1, tuple(sent), tuple(read), tuple(strange), tuple(further))


def _path(hops: Hops, visits: Positions, ends: tuple[int, int]) -> tuple[int, ...]:
    """The nodes that most packets came by to some visits; the two ends where none is known."""
    arrivals = visits[visits >= 0]
    arrivals = arrivals[hops.visits.hops[arrivals] > 0]
    if not len(arrivals):
        return ends
    count = int(np.bincount(hops.visits.hops[arrivals]).argmax())
    chain = [arrivals[hops.visits.hops[arrivals] == count]]
    for _ in range(count):
        chain.append(hops.visits.parents[chain[-1]].astype(np.int64))
    paths, used = np.unique(hops.visits.nodes[np.column_stack(chain[::-1])], axis=0, return_counts=True)
    nodes: tuple[int, ...] = tuple(paths[used.argmax()].tolist())
    return nodes if (nodes[0], nodes[-1]) == ends else ends


def _hop_rows(hops: Hops, number: int, sender: int, receiver: int) -> tuple[Positions, NDArray[np.bool_]]:
    """int64[all packets], the row of one hop of each packet, and bool[h], rows that the receiver read.

    Where the receiver did not read it, the row of a hop that failed, else that of any other receiver.
    """
    rows = np.flatnonzero((hops.numbers == number) & (hops.senders == sender))
    complete = hops.visits_to[rows] >= 0
    reached = complete & (hops.receivers[rows] == receiver)
    row_of = np.full(len(hops.packets), NONE, dtype=np.int64)
    for chosen in (complete & ~reached, ~complete, reached):
        some = rows[chosen][::-1]
        row_of[hops.packet_rows[some]] = some  # written backwards, so that the first stays
    complete = np.zeros(len(hops), dtype=bool)
    complete[rows[reached]] = True
    return row_of, complete


def _further_rows(hops: Hops, deliveries: Positions, number: int) -> Positions:
    """int64[p], the row of `Hops.further` that is the hop of a number on the way to each delivery, -1 for none."""
    further = hops.further
    rows = np.flatnonzero(hops.visits.hops[further.passages.visits] == number)
    order = rows[np.argsort(further.deliveries[rows], kind="stable")]
    place = np.minimum(np.searchsorted(further.deliveries[order], deliveries), max(0, len(order) - 1))
    return np.where(values_at(further.deliveries[order], place) == deliveries, values_at(order, place), NONE)
