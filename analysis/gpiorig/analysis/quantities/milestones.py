"""Delays between any two milestones, along the path of every packet.

A delay is from each occurrence of the first milestone to the next occurrence of the second one on the path of the
packet, over relays and through the answer. Where the first milestone occurs again before it, the later occurrence
counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import spans
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import NONE, POSITION_BITS, Positions, latest_of, values_at
from gpiorig.analysis.packets.passages import COLUMNS
from gpiorig.analysis.packets.path import DIRECTIONS, POINTS, REPLY, Source
from gpiorig.analysis.processor.layer_labels import RECEIVED, SENT
from gpiorig.analysis.quantities.names import MILESTONES, TX_ENDS, Milestone, Quantity, event_of
from gpiorig.analysis.quantities.series import Recorded, Samples, Series


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """One milestone on every hop.

    Parameters
    ----------
    samples
        int64[h], its instant, -1 for none.
    visits, nodes
        int64[h], the visit and the node at which it is.
    received
        Whether that is at the receiver.
    """

    samples: Samples
    visits: Positions
    nodes: Positions
    received: bool


def between(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The delays of a `Kind.BETWEEN`: one series per pair of nodes, packets in the order of the first milestone.

    Raises
    ------
    QuantityError
        The recording has no packets, or does not show one of the milestones.
    """
    assert quantity.start is not None and quantity.end is not None
    hops, chosen = recorded.packets(), recorded.nodes(quantity)
    begin, end = (_mark(milestone, recorded) for milestone in (quantity.start, quantity.end))
    before = rows_before(hops, recorded.request_of)
    begin_rows = _climbed(begin.samples, end.samples, before)
    end_rows = np.flatnonzero(begin_rows >= 0)
    begin_rows = begin_rows[end_rows]
    # The hops of a broadcast share the milestones of their sender.
    instances = [begin.visits[begin_rows], begin.samples[begin_rows], end.visits[end_rows], end.samples[end_rows]]
    once = np.unique(np.stack(instances), axis=1, return_index=True)[1]
    pairs = np.stack([begin_rows[once], end_rows[once]])
    lacking = _lacking(begin, end, before, matched=pairs[0])
    lacking = lacking[np.isin(begin.nodes[lacking], chosen)]
    nodes = np.stack([begin.nodes[pairs[0]], end.nodes[pairs[1]]], axis=1)
    groups = [(int(a), int(b)) for a, b in np.unique(nodes, axis=0) if a in chosen]
    senders = {sender for sender, _ in groups}
    groups += [(node, node) for node in np.unique(begin.nodes[lacking]).tolist() if node not in senders]
    return tuple(_series(quantity, recorded, (begin, end), pairs, lacking, group, groups) for group in groups)


def instants(milestone: Milestone, recorded: Recorded) -> Samples:
    """int64[h], the instant of a milestone on every hop, -1 where the hop lacks it or it is not asked of that hop."""
    hops = recorded.packets()
    samples = _everywhere(milestone, recorded)
    if not (samples >= 0).any():
        known = [name for name in MILESTONES if name in COLUMNS and (hops.samples[COLUMNS[name]] >= 0).any()]
        known += ["radio.tx_end"] if (hops.transmissions.ends_at >= 0).any() else []
        raise QuantityError(f"no packet of this recording shows `{milestone.name}`; it has {', '.join(known)}.")
    if milestone.hop:
        samples = np.where(hops.numbers == milestone.hop, samples, NONE)
    if milestone.direction:
        is_reply = recorded.request_of >= 0
        samples = np.where(is_reply[hops.packet_rows] == (milestone.direction == DIRECTIONS[REPLY]), samples, NONE)
    if not (samples >= 0).any():
        raise QuantityError(f"no packet of this recording shows `{milestone.text}`.")
    return samples


def _mark(milestone: Milestone, recorded: Recorded) -> _Mark:
    """A milestone with the place where it happens."""
    hops, received = recorded.packets(), milestone.received
    samples = instants(milestone, recorded)
    return _Mark(samples, _visits(hops, received), _nodes(hops, received), received)


def rows_before(hops: Hops, request_of: Positions) -> Positions:
    """int64[h], row of the hop that brought the packet, or what it answers, to the sender of each hop; -1 for none.

    `request_of` is that of `Recorded`.
    """
    row_to = np.full(len(hops.visits), NONE, dtype=np.int64)
    reached = np.flatnonzero(hops.visits_to >= 0)
    row_to[hops.visits_to[reached]] = reached
    before = values_at(row_to, hops.visits_from.astype(np.int64))
    width = len(hops.events.node_names)
    arrived = np.flatnonzero(hops.visits.deliveries >= 0)
    keys = hops.visits.packets[arrived].astype(np.int64) * width + hops.visits.nodes[arrived]
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero((before < 0) & (request_of[hops.packet_rows] >= 0))
    wanted = request_of[hops.packet_rows[first]] * width + hops.senders[first]
    place = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    good = keys[order][place] == wanted if len(keys) else np.zeros(len(first), dtype=bool)
    before[first[good]] = row_to[arrived[order][place[good]]]
    return before


def _climbed(begins: Samples, ends: Samples, before: Positions) -> Positions:
    """int64[h], of each hop with an end the row whose begin it is next to, -1 for none; walks the path backwards."""
    begin_rows = np.full(len(ends), NONE, dtype=np.int64)
    open_ = np.flatnonzero(ends >= 0)
    row = open_.copy()
    while len(open_):
        begin, end = begins[row], ends[row]
        own = row == open_
        is_next = (begin >= 0) & (begin <= ends[open_]) & (own | (end < 0) | (end < begin) | (end == ends[open_]))
        begin_rows[open_[is_next]] = row[is_next]
        up = before[row]
        goes_on = ~is_next & (up >= 0) & (own | (end < 0) | (end == ends[open_]))
        open_, row = open_[goes_on], up[goes_on]
    return begin_rows


def _lacking(begin: _Mark, end: _Mark, before: Positions, *, matched: Positions) -> Positions:
    """int64[m], a row per begin that no end follows and no later begin: the packet was lost, or a milestone is missing.

    A packet that ended at a node does not lack what would have happened had the node sent it on.
    """
    if begin.received and not end.received:
        return np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(begin.samples >= 0)
    instances = np.stack([begin.visits[rows], begin.samples[rows]])
    _, first, numbers = np.unique(instances, axis=1, return_index=True, return_inverse=True)
    instance_of = np.full(len(begin.samples), NONE, dtype=np.int64)
    instance_of[rows] = numbers.reshape(-1)
    followed = np.zeros(len(first), dtype=bool)
    followed[instance_of[matched]] = True
    earlier = _climbed_before(begin.samples, before)
    followed[instance_of[earlier[earlier >= 0]]] = True
    return rows[first[~followed]]


def _climbed_before(begins: Samples, before: Positions) -> Positions:
    """int64[h], of each hop with a start the row of the start before it on the path, -1 for none."""
    earlier = np.full(len(begins), NONE, dtype=np.int64)
    rows = np.flatnonzero(begins >= 0)
    row = before[rows]
    while len(rows):
        rows, row = rows[row >= 0], row[row >= 0]
        hit = (begins[row] >= 0) & (begins[row] < begins[rows])
        earlier[rows[hit]] = row[hit]
        rows, row = rows[~hit], before[row[~hit]]
    return earlier


def _series(
    quantity: Quantity,
    recorded: Recorded,
    marks: tuple[_Mark, _Mark],
    pairs: NDArray[np.int64],
    lacking: Positions,
    group: tuple[int, int],
    groups: list[tuple[int, int]],
) -> Series:
    """The delays between two nodes; a begin without an end counts where its receiver is that node, or is unknown."""
    hops, names, (begin, end) = recorded.packets(), recorded.events.node_names, marks
    begin_rows, end_rows = pairs[:, (begin.nodes[pairs[0]] == group[0]) & (end.nodes[pairs[1]] == group[1])]
    order = np.argsort(begin.samples[begin_rows], kind="stable")
    begin_rows, end_rows = begin_rows[order], end_rows[order]
    lacking = lacking[begin.nodes[lacking] == group[0]]
    if sum(sender == group[0] for sender, _ in groups) > 1:
        lacking = lacking[np.isin(hops.receivers[lacking], (NONE, group[1]))]
    return Series(
        node=names[group[0]] if group[0] == group[1] else f"{names[group[0]]} > {names[group[1]]}",
        quantity=quantity,
        values=end.samples[end_rows] - begin.samples[begin_rows],
        scale=recorded.period_ns,
        starts=begin.samples[begin_rows],
        packets=hops.packet_rows[begin_rows].astype(np.int32),
        lacking=len(lacking),
        lacking_packets=hops.packet_rows[lacking].astype(np.int32),
    )


def _everywhere(milestone: Milestone, recorded: Recorded) -> Samples:
    """int64[h], the instant of a milestone on every hop, whatever its qualifier."""
    hops, name = recorded.packets(), milestone.name
    if name in TX_ENDS:
        return _transmit_end(name, recorded)
    if name in COLUMNS and not _is_elsewhere(name, hops):
        return hops.samples[COLUMNS[name]]
    entered = name.removesuffix(".exit")
    if entered in COLUMNS and POINTS[COLUMNS[entered]].source is not Source.AIR and not _is_elsewhere(entered, hops):
        return _exit(entered, recorded)
    return _last_event(event_of(name), milestone, recorded)


def _is_elsewhere(point: str, hops: Hops) -> bool:
    """Whether a point that is on the path only where it comes at one place comes at others, if at all."""
    return POINTS[COLUMNS[point]].source is Source.ATTEMPT and not (hops.samples[COLUMNS[point]] >= 0).any()


def _transmit_end(name: str, recorded: Recorded) -> Samples:
    """The sender's interrupt at the end of the transmission that made the hop; never one of a reception."""
    hops, events = recorded.packets(), recorded.events
    sent = hops.sent.astype(np.int64)
    ends_at = values_at(hops.transmissions.ends_at, sent)
    event = TX_ENDS[name]
    if event is not None:
        at = np.concatenate([recorded.index.positions(event, node=node) for node in range(len(events.node_names))])
        at = latest_of(ends_at, at, of=recorded.completions.of[at].astype(np.int64))
        ends_at = np.where(at > values_at(hops.transmissions.commands, sent), at, NONE)
    return values_at(events.samples, ends_at)


def _exit(point: str, recorded: Recorded) -> Samples:
    """The exit of the span that a milestone of the path enters."""
    hops, events = recorded.packets(), recorded.events
    enters = hops.samples[COLUMNS[point]]
    exits = np.full(len(hops), NONE, dtype=np.int64)
    nodes = _nodes(hops, POINTS[COLUMNS[point]].received)
    for node in range(len(events.node_names)):
        both = events.samples[spans.pairs_of(POINTS[COLUMNS[point]].event, events, recorded.index, node=node)]
        both = both[np.argsort(both[:, 0])]
        rows = np.flatnonzero((nodes == node) & (enters >= 0))
        place = np.minimum(np.searchsorted(both[:, 0], enters[rows]), max(len(both) - 1, 0))
        if len(both):
            exits[rows] = np.where(both[place, 0] == enters[rows], both[place, 1], NONE)
    return exits


def _last_event(event: str, milestone: Milestone, recorded: Recorded) -> Samples:
    """The last event of a kind with which a node sent, or received, the packet; before it prepared a later frame."""
    hops, events = recorded.packets(), recorded.events
    code, way = BY_NAME[event].code, RECEIVED if milestone.received else SENT
    at = np.flatnonzero((events.codes == code) & (hops.ways == way) & (hops.visit_of >= 0))
    keys = np.sort((hops.visit_of[at].astype(np.int64) << POSITION_BITS) + at)
    visits = _visits(hops, milestone.received)
    bound = np.full(len(hops), len(events), dtype=np.int64)
    if not milestone.received:
        bound = _next_frame(hops, len(events))
    if not len(keys):
        return np.full(len(hops), NONE, dtype=np.int64)
    place = np.searchsorted(keys, (visits << POSITION_BITS) + bound) - 1
    good = (visits >= 0) & (place >= 0) & (keys[np.maximum(place, 0)] >> POSITION_BITS == visits)
    return values_at(events.samples, np.where(good, keys[np.maximum(place, 0)] & ((1 << POSITION_BITS) - 1), NONE))


def _next_frame(hops: Hops, last: int) -> Positions:
    """int64[h], position at which the sender took the frame after the one that made the hop, `last` for none."""
    sent = hops.transmissions
    keys = np.sort((hops.visits.of_transmission.astype(np.int64) << POSITION_BITS) + sent.prepared)
    visits = hops.visits_from.astype(np.int64)
    commands = values_at(sent.commands, hops.sent.astype(np.int64))
    place = np.searchsorted(keys, (visits << POSITION_BITS) + np.maximum(commands, 0), side="right")
    held = keys[np.minimum(place, max(len(keys) - 1, 0))] if len(keys) else np.zeros(len(hops), dtype=np.int64)
    good = (commands >= 0) & (place < len(keys)) & (held >> POSITION_BITS == visits)
    return np.where(good, held & ((1 << POSITION_BITS) - 1), last)


def _visits(hops: Hops, received: bool) -> Positions:
    return (hops.visits_to if received else hops.visits_from).astype(np.int64)


def _nodes(hops: Hops, received: bool) -> Positions:
    return (hops.receivers if received else hops.senders).astype(np.int64)
