"""Custody: which packet a node has in hand when it sends something with a certain id."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index, position_type
from gpiorig.analysis.packets.occurrences import (
    ID_BITS,
    NONE,
    POSITION_BITS,
    RESET,
    Latest,
    Positions,
    owner,
    values_at,
)
from gpiorig.capture import mapped

HAND_OVER = "mac.tx.enter"  # from here on a frame is in the MAC's hands, whatever comes meanwhile
HALF_A_ROUND = 1 << (ID_BITS - 1)

CALL, BARE, READ = range(3)
KINDS = {
    CALL: "sent by a call",
    BARE: "sent without a call, such as a MAC's beacon",
    READ: "read, which packet's transmission it was is not known",
}
UNCLEAR = -2  # in place of a row: one of several packets with the same id, unknown which


@dataclass(frozen=True, slots=True, eq=False)
class Starts:
    """How nodes come by packets: one row for each call of an application, frame without one, and frame read.

    Parameters
    ----------
    nodes
        int64[s], index into the node names.
    ids
        int32[s], id of the packet.
    positions
        int64[s], position in the events from which on the node has it.
    kinds
        uint8[s], keys of `KINDS`.
    """

    nodes: Positions
    ids: NDArray[np.int32]
    positions: Positions
    kinds: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.nodes)

    def and_(self, others: Starts) -> Starts:
        """These and, after them, others."""
        pairs = ((getattr(self, name), getattr(others, name)) for name in self.__slots__)
        return Starts(*(np.concatenate(pair) for pair in pairs))


class Holders:
    """Things on nodes that hold a packet's id from their position on, until the next one with that id.

    A holder that is half a round of ids old, counted in the holders of its node, is of the round before and holds no
    more.
    """

    def __init__(self, nodes: Positions, ids: NDArray[np.int32], positions: Positions) -> None:
        self._ids = ids
        self._latest = mapped.settled(Latest.of(owner(nodes, ids), positions))
        self._in_order = mapped.settled(Latest.of(nodes, positions))
        self._rank = np.empty(len(positions), dtype=position_type(len(positions)))
        self._rank[self._in_order.rows] = np.arange(len(positions))

    def of(self, nodes: Positions, ids: NDArray[np.int32], positions: Positions) -> Positions:
        """int64[q], row of the holder of each event, the one at its own position included; -1 for none."""
        newest = self._in_order.before(nodes, positions, included=True)
        holders = newest.copy()
        # Nearly all events are of the newest holder of their node; only the others are searched for by id.
        other = np.flatnonzero((ids < 0) | (values_at(self._ids, newest) != ids))
        older = self._latest.before(owner(nodes[other], ids[other]), positions[other], included=True)
        age = values_at(self._rank, newest[other]) - values_at(self._rank, older)
        holders[other] = np.where(age < HALF_A_ROUND, older, NONE)
        return holders


class Custody:
    """What a node sends belongs to the latest call or reading of its id there.

    Readings of what was delivered to the application come last: that is not sent on, unless nothing else has the id.
    What the MAC, the driver and the radio do follows the latest hand-over to the MAC. On a node that shows such
    hand-overs, a frame without one is the MAC's own, even if it has the id of something that was read. A hand-over
    before which a node came by two packets with one id, and neither was handed over in between, is of one of the two:
    `UNCLEAR`.

    Parameters
    ----------
    delivered
        bool[s], starts whose packet was delivered at that node, or is of no use to another one.
    joined
        int64[s], of each start the first one of the same packet at that node; None: not known yet, nothing is unclear.

    Attributes
    ----------
    unclear
        bool[s], starts of packets for which it is unknown what was sent on.
    hands_over
        bool[n], nodes that show hand-overs to the MAC.
    visits
        int32[s], the visit of each start, once they have numbers.
    """

    def __init__(
        self,
        events: Events,
        index: Index,
        starts: Starts,
        delivered: NDArray[np.bool_],
        joined: Positions | None = None,
    ) -> None:
        self._rows = [np.flatnonzero(~delivered), np.flatnonzero(delivered)]
        self._holders = [Holders(starts.nodes[rows], starts.ids[rows], starts.positions[rows]) for rows in self._rows]
        at = np.sort(
            np.concatenate([index.positions(HAND_OVER, node=node) for node in range(len(events.node_names))]),
            kind="stable",
        )
        self.hands_over = np.array([index.occurs(HAND_OVER, node=node) for node in range(len(events.node_names))])
        at = at[events.ids[at] >= 0]
        nodes, ids = events.nodes[at].astype(np.int64), events.ids[at]
        self._kinds = starts.kinds
        self.visits = np.full(len(starts), NONE, dtype=np.int32)
        bare = np.flatnonzero(starts.kinds == BARE)
        begun = self.for_calls(nodes, ids, at)
        self.unclear = np.zeros(len(starts), dtype=bool)
        self._second = np.zeros(len(starts), dtype=bool)
        if joined is not None:
            rows = self._rows[0][self.hands_over[starts.nodes[self._rows[0]]]]
            resets = [
                (node << POSITION_BITS) + index.positions(RESET, node=node) for node in range(len(events.node_names))
            ]
            ends = (np.sort(_keys(nodes, ids, at)), np.concatenate(resets))
            first, second = _in_hand_together(starts, rows, joined, *ends)
            self.unclear[first] = self.unclear[second] = self._second[second] = True
            begun = self._or_unclear(begun)
        self._begun = np.concatenate([begun, bare])
        self._hand_overs = Holders(
            np.concatenate([nodes, starts.nodes[bare]]),
            np.concatenate([ids, starts.ids[bare]]),
            np.concatenate([at, starts.positions[bare]]),
        )

    def for_calls(self, nodes: Positions, ids: NDArray[np.int32], positions: Positions) -> Positions:
        """int64[q], row of the start that each event of the application belongs to, -1 for none."""
        starts_of = np.full(len(positions), NONE, dtype=np.int64)
        for rows, holders in zip(self._rows, self._holders, strict=True):
            missing = np.flatnonzero(starts_of < 0)
            if len(rows) and len(missing):
                starts_of[missing] = values_at(rows, holders.of(nodes[missing], ids[missing], positions[missing]))
        return starts_of

    def for_stack(self, nodes: Positions, ids: NDArray[np.int32], positions: Positions) -> Positions:
        """The same between the application and the MAC; `UNCLEAR` where it is one of several."""
        return self._or_unclear(self.for_calls(nodes, ids, positions))

    def _or_unclear(self, start_rows: Positions) -> Positions:
        return np.where(values_at(self._second, start_rows) > 0, UNCLEAR, start_rows)

    def for_frames(self, nodes: Positions, ids: NDArray[np.int32], positions: Positions) -> Positions:
        """The same for events of the MAC and below."""
        handed = values_at(self._begun, self._hand_overs.of(nodes, ids, positions))
        missing = np.flatnonzero(handed == NONE)
        direct = self.for_calls(nodes[missing], ids[missing], positions[missing])
        sent_on = values_at(self._kinds, direct) == READ
        handed[missing] = np.where(sent_on & self.hands_over[nodes[missing]], NONE, direct)
        return handed


def _keys(nodes: Positions, ids: NDArray[np.int32], positions: Positions) -> Positions:
    return (owner(nodes, ids) << POSITION_BITS) + positions


def _in_hand_together(
    starts: Starts, rows: Positions, joined: Positions, hand_overs: Positions, resets: Positions
) -> tuple[Positions, Positions]:
    """Rows of starts of one id at one node, of different packets, with a hand-over after both and none between the two.

    A reset between them parts them, too.
    """
    rows = rows[starts.kinds[rows] != BARE]
    nodes, ids, positions = starts.nodes[rows], starts.ids[rows], starts.positions[rows]
    before = Holders(nodes, ids, positions).of(nodes, ids, positions - 1)
    second = np.flatnonzero(before >= 0)
    first = before[second]
    handed = np.searchsorted(hand_overs, _keys(nodes, ids, positions))
    lives = np.searchsorted(resets, (nodes << POSITION_BITS) + positions)
    together = (handed[first] == handed[second]) & (lives[first] == lives[second])
    together &= joined[rows[first]] != joined[rows[second]]
    following = values_at(hand_overs, np.where(handed < len(hand_overs), handed, NONE))
    together &= following[second] >> POSITION_BITS == owner(nodes, ids)[second]
    return rows[first[together]], rows[second[together]]
