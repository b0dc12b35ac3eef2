"""Receptions: every frame that software read from its radio, and the transmission it came from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events import polled
from gpiorig.analysis.events.completions import FRAME_TIMESTAMP, HANDLER, LINKS, RX_END, Completions
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.frame_starts import START
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.packets import turned_round
from gpiorig.analysis.packets.acknowledgements import read_acknowledgements
from gpiorig.analysis.packets.occurrences import NONE, Positions, latest_of, values_at
from gpiorig.analysis.packets.sequence_numbers import SequenceNumbers
from gpiorig.analysis.packets.transmissions import Transmissions

# What ends a reception on a node: the first of these that occurs there with ids; where none has one, that occurs.
ENDS = (RX_END, "mac.rx.enter", "app.rx.enter")
IRQ = "tap.irq.enter"
INTERRUPTS = (*LINKS, "driver.rx_read.enter")
# Where a driver came so late that it reports start and end of a frame in one turn, its interrupt was at the start.
FRAME_END = FRAME_TIMESTAMP.removesuffix("enter") + "exit"
AFTER_FRAME = (FRAME_END, "driver.rx_read.enter")

FROM_ONE, NOT_SENT, OTHER_NUMBER, AMBIGUOUS, TURNED_ROUND = range(5)
ORIGINS = {
    FROM_ONE: "of one transmission",
    NOT_SENT: "no node was sending a frame with this id",
    OTHER_NUMBER: "frames with this id were being sent, none with its sequence number",
    AMBIGUOUS: "several nodes were sending a frame with this id",
    TURNED_ROUND: "turned round within the node, which sends to itself",
}
_Bools = NDArray[np.bool_]
_OnNode = tuple[Positions, Positions, Positions, Positions, _Bools, Positions, _Bools, Positions]
SAMPLE_BITS = 47  # 68 days at 24 MHz
# Without a line that shows when the frame ended, software may have been delayed by this time after the end.
LATE_NS = 100_000_000
# By how much a receiver's interrupt may be later than the sender's for one frame: propagation, the radios' own delays
# (9 us, AT86RF231 datasheet 8111C, 12.4). Far less than the shortest frame, 352 us of an acknowledgement at 250 kb/s.
APART_NS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Receptions:
    """One row per frame read with a packet's id, by node, in time order within a node.

    Parameters
    ----------
    nodes
        int16[r], index into the node names.
    ids
        int32[r], id of the packet.
    ends_at
        int64[r], position of the event at which the frame had been read.
    air_starts
        int64[r], sample of the first bit on the air, from the frame timestamp line; -1 unknown.
    ends
        int64[r], sample at which the frame was over: the rise of the interrupt line, or the earliest trace there is.
        A line that rose while a sender was still waiting for its frame shows the start; then the sender's end. So does
        one whose interrupt the driver took so late that it reports the start, too; then what shows the end.
    lines_seen
        bool[r], `ends` is of the interrupt line.
    sequences
        int16[r], sequence number of IEEE 802.15.4, -1 unknown.
    transmissions
        int32[r], row of the transmission it is of, -1 for none.
    origins
        uint8[r], keys of `ORIGINS`: why there is one, or none.
    without_id
        Number of readings that gave no id: of control frames, or of nothing.
    acknowledgements, acknowledged
        int64[a], positions of the readings of acknowledgements, which are not among the rows, and the rows of the
        transmissions that they acknowledge.
    """

    nodes: NDArray[np.int16]
    ids: NDArray[np.int32]
    ends_at: Positions
    air_starts: Positions
    ends: Positions
    lines_seen: NDArray[np.bool_]
    sequences: NDArray[np.int16]
    transmissions: NDArray[np.int32]
    origins: NDArray[np.uint8]
    without_id: int
    acknowledgements: Positions
    acknowledged: Positions

    def __len__(self) -> int:
        return len(self.nodes)


def find(
    events: Events,
    index: Index,
    completions: Completions,
    numbered: SequenceNumbers,
    sent: Transmissions,
    *,
    header_ns: Mapping[str, int],
    own_calls: Positions,
    turning: Collection[int],
) -> Receptions:
    """All receptions of all nodes, each with the transmission it is of.

    That is the one with its id, of another node, during which the frame was on the air: it began before the first bit
    and ended after the last. If sequence numbers are known at both ends they are equal. Two transmissions of one node
    never overlap; if those of several nodes fit, the reception is `AMBIGUOUS` and is of none. Where no line shows when
    the frame was on the air, its first trace in software has to come during the transmission, or else soon after it: on
    a node that polls its radio after it was commanded to receive; if none fits, and on others, within `LATE_NS`.

    Parameters
    ----------
    header_ns
        By name of the receiving node, the time from the first bit on the air to the rise of its frame timestamp line.
        A node that is not in it has no `air_starts`.
    own_calls
        int64[c], positions of the calls of nodes that send to themselves.
    turning
        Indices of these nodes.
    """

    def on_node(node: int) -> _OnNode:
        header = header_ns.get(events.node_names[node])
        calls = own_calls[events.nodes[own_calls] == node]
        return _on_node(events, index, completions, node, header, calls, turns=node in turning)

    parts = [on_node(node) for node in range(len(events.node_names))]
    nodes, ends_at, air_starts, ends, lines_seen, listening, turned, nameless = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    read = np.flatnonzero(numbered.readings >= 0)
    sequences = values_at(numbered.numbers, latest_of(ends_at, read, of=numbered.readings[read])).astype(np.int16)
    ids = events.ids[ends_at]
    candidates = _Sent(sent, ids, nodes, sequences)
    earliest = np.where(air_starts >= 0, air_starts, ends)
    rows, origins = candidates.open_during(earliest, np.where(lines_seen, ends - events.samples_in(APART_NS), earliest))
    unseen = (air_starts < 0) & ~lines_seen
    for since, asked in ((listening, listening >= 0), (earliest - events.samples_in(LATE_NS), True)):
        late = (origins == NOT_SENT) & unseen & asked
        if late.any():
            late_rows, late_origins = candidates.open_during(earliest, since, of=late)
            rows, origins = np.where(late, late_rows, rows), np.where(late, late_origins, origins)
    turned |= (origins == NOT_SENT) & (turned_round.latest_calls(events, own_calls, nodes, ends_at) >= 0)
    rows, origins = np.where(turned, NONE, rows), np.where(turned, TURNED_ROUND, origins)
    out = values_at(sent.ends, rows)
    at_start = lines_seen & (values_at(sent.waited.astype(np.int8), rows) > 0)
    at_start &= ends + events.samples_in(APART_NS) < out
    ends, lines_seen = np.where(at_start, out, ends), lines_seen & ~at_start
    acknowledgements, acknowledged = read_acknowledgements(
        events, numbered, sent.nodes.astype(np.int64), sent.ids, sent.commands
    )
    frames = ends_at[origins == FROM_ONE]
    frames = frames[np.isin(frames, acknowledgements)]  # few: np.isin hashes its second array
    is_one = (sent.acknowledges[acknowledged] < 0) & ~np.isin(acknowledgements, frames)
    acknowledgements, acknowledged = acknowledgements[is_one], acknowledged[is_one]
    without_id = np.setdiff1d(nameless, acknowledgements)
    left = ~np.isin(ends_at, acknowledgements)
    return Receptions(
        nodes=nodes[left].astype(np.int16),
        ids=ids[left],
        ends_at=ends_at[left],
        air_starts=air_starts[left],
        ends=ends[left],
        lines_seen=lines_seen[left],
        sequences=sequences[left],
        transmissions=rows[left].astype(np.int32),
        origins=origins[left].astype(np.uint8),
        without_id=len(without_id),
        acknowledgements=acknowledgements,
        acknowledged=acknowledged,
    )


def _on_node(
    events: Events,
    index: Index,
    completions: Completions,
    node: int,
    header_ns: int | None,
    own_calls: Positions,
    *,
    turns: bool,
) -> _OnNode:
    ends_of = ENDS[:-1] if turns else ENDS
    seen = [name for name in ends_of if index.occurs(name, node=node)]
    name = next((name for name in seen if index.occurs_with_id(name, node=node)), (seen or ends_of)[0])
    occurred = index.positions(name, node=node)
    entries = turned_round.entries(events, index, node, own_calls, occurred)
    occurred = np.union1d(occurred, entries) if len(entries) else occurred
    ends_at, nameless = (occurred[(events.ids[occurred] >= 0) == named] for named in (True, False))

    def latest_samples(name: str) -> Positions:
        """Sample of the latest such event of each reception, -1 for none."""
        at = index.positions(name, node=node)
        return values_at(events.samples, latest_of(ends_at, at, of=completions.of[at]))

    mark = latest_samples(FRAME_TIMESTAMP)
    irq = latest_samples(IRQ)
    turn = np.max([latest_samples(name) for name in LINKS], axis=0)
    late = (turn >= 0) & (latest_samples(START) > turn)
    ends = events.samples[ends_at]
    for name in (*INTERRUPTS, FRAME_END):
        trace = latest_samples(name)
        counts = (trace >= 0) & np.where(late, name in AFTER_FRAME, name in INTERRUPTS)
        ends = np.where(counts, np.minimum(ends, trace), ends)
    if header_ns is None:
        mark = np.full(len(ends_at), NONE, dtype=np.int64)
    air_starts = np.where(mark >= 0, mark - events.samples_in(header_ns or 0), NONE)
    listening = np.full(len(ends_at), NONE, dtype=np.int64)
    if not index.occurs(HANDLER, node=node):
        commands = index.positions(polled.LISTEN, node=node)
        listening = values_at(events.samples, values_at(commands, np.searchsorted(commands, ends_at) - 1))
        if index.occurred(polled.LISTEN, node=node):  # then since this part of the recording began, at the least
            listening = np.maximum(listening, events.samples[0])
    nodes = np.full(len(ends_at), node, dtype=np.int64)
    return nodes, ends_at, air_starts, ends, (irq >= 0) & ~late, listening, np.isin(ends_at, entries), nameless


class _Sent:
    """The transmissions by id and time, asked for those that can be the source of each reception."""

    def __init__(
        self, sent: Transmissions, ids: NDArray[np.int32], nodes: Positions, sequences: NDArray[np.int16]
    ) -> None:
        self._sent, self._ids, self._nodes, self._sequences = sent, ids.astype(np.int64), nodes, sequences
        with_id = np.flatnonzero(sent.ids >= 0)
        keys = (sent.ids[with_id].astype(np.int64) << SAMPLE_BITS) + sent.begins[with_id]
        order = np.argsort(keys, kind="stable")
        self._keys, self._rows = keys[order], with_id[order]
        self._longest = int((sent.ends - sent.begins).max(initial=0))

    def open_during(
        self, since: Positions, until: Positions, *, of: NDArray[np.bool_] | None = None
    ) -> tuple[Positions, Positions]:
        """Row of the one transmission that began at `since` or before and ended at `until` or after; and why none."""
        rows = np.full(len(since), NONE, dtype=np.int64)
        origins = np.full(len(since), NOT_SENT, dtype=np.int64)
        asked = np.arange(len(since)) if of is None else np.flatnonzero(of)
        place = np.searchsorted(self._keys, (self._ids[asked] << SAMPLE_BITS) + since[asked], side="right") - 1
        while len(asked):
            row = values_at(self._rows, place)
            key = values_at(self._keys, place)
            oldest = np.minimum(since, until)[asked] - self._longest
            near = (
                (row >= 0)
                & (key >= (self._ids[asked] << SAMPLE_BITS) + oldest)
                & (key >> SAMPLE_BITS == self._ids[asked])
            )
            asked, place, row = asked[near], place[near] - 1, row[near]
            fits = (self._sent.ends[row] >= until[asked]) & (self._sent.nodes[row] != self._nodes[asked])
            self._consider(asked[fits], row[fits], rows, origins)
        rows[origins != FROM_ONE] = NONE
        return rows, origins

    def _consider(self, asked: Positions, row: Positions, rows: Positions, origins: Positions) -> None:
        """Take a candidate, unless its number is another, or another node's is there already."""
        sent_number, ours = self._sent.sequences[row], self._sequences[asked]
        equal = (sent_number < 0) | (ours < 0) | (sent_number == ours)
        other = asked[~equal]
        origins[other] = np.where(origins[other] == NOT_SENT, OTHER_NUMBER, origins[other])
        asked, row = asked[equal], row[equal]
        # The latest of a node's comes first and stays.
        free = rows[asked] < 0
        others = ~free & (self._sent.nodes[row] != self._sent.nodes[np.maximum(rows[asked], 0)])
        origins[asked[others]] = AMBIGUOUS
        rows[asked[free]], origins[asked[free]] = row[free], FROM_ONE
