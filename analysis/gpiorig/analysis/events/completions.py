"""Radio completions: which interrupt brought the reception or the end of transmission that software then reports.

Up to the end of ``driver.rx_read`` (or a ``radio.tx_*`` event) nothing carries a packet id: the frame time stamp
line, the interrupt line, the interrupt service routine, the driver's handler. They are attributed by order,
from the completion backwards, each link to the latest occurrence that can have caused the next one:

    tap.frame_timestamp > tap.irq > isr.radio > driver.isr > completion

A link is refused, and with it everything before it, when it was taken by an earlier completion or when the rules
below say that it belongs to another one. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME

Positions = NDArray[np.int64]
Kept = NDArray[np.signedinteger[Any]]

RX_END = "driver.rx_read.exit"
TX_ENDS = ("radio.tx_complete", "radio.tx_no_ack", "radio.tx_busy")
OTHER_ENDS = ("driver.rx_drop", "radio.rx_crc_error")
HANDLER = "driver.isr.enter"
LINKS = (HANDLER, "isr.radio.enter", "tap.irq.enter")
FRAME_TIMESTAMP = "tap.frame_timestamp.enter"
# Events inside driver.isr, before the end of a reception.
INSIDE = (
    "driver.rx_read.enter",
    "driver.rx_length.enter",
    "driver.rx_length.exit",
    "radio.rx_complete",
    "radio.rx_start",
)
# 127 octets and the length octet of 32 us each (IEEE 802.15.4-2006, 6.4.1 aMaxPHYPacketSize; 250 kb/s),
# and 0.1 ms for the radio to raise its interrupt line (AT86RF231: 9 us).
LONGEST_FRAME_NS = 128 * 32_000 + 100_000
PIECE = 1 << 20  # events


def pieces(count: int) -> Iterator[slice]:
    """Slices of so many events each that what is made on the way does not count beside the events themselves."""
    for start in range(0, count, PIECE):
        yield slice(start, min(start + PIECE, count))


def position_type(count: int) -> type[np.signedinteger[Any]]:
    """The smaller type of positions that are kept for every event: half the memory below 2^31 events."""
    return np.int32 if count < 1 << 31 else np.int64


class Index:
    """Positions in the events of every code on every node, in time order."""

    def __init__(self, events: Events) -> None:
        keys = 256 * len(events.node_names)
        counts = np.zeros(keys, dtype=np.int64)
        for piece in pieces(len(events)):
            counts += np.bincount(_keys(events, piece), minlength=keys)
        self._bounds = np.concatenate([[0], np.cumsum(counts)])
        self._order = np.empty(len(events), dtype=position_type(len(events)))
        free = self._bounds[:-1].copy()
        for piece in pieces(len(events)):
            key = _keys(events, piece)
            order = np.argsort(key, kind="stable")
            here = np.bincount(key, minlength=keys)
            before = np.cumsum(here) - here
            self._order[np.repeat(free - before, here) + np.arange(len(order))] = order + piece.start
            free += here

    def of(self, event: str, *, node: int) -> Positions:
        """Positions of one event on one node: int64, increasing."""
        key = node * 256 + BY_NAME[event].code
        return self._order[self._bounds[key] : self._bounds[key + 1]].astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Completions:
    """For every event, the completion it belongs to.

    Parameters
    ----------
    of
        int32[n] (int64 from 2^31 events on), position of the completion, -1 for none.
    """

    of: Kept


def _keys(events: Events, piece: slice) -> NDArray[Any]:
    """Node and code as one number; of 16 bits where that is enough, which sorts quickest."""
    kind: type[np.integer[Any]] = np.uint16 if len(events.node_names) <= 256 else np.int64
    keys: NDArray[Any] = events.nodes[piece].astype(kind)
    keys *= 256
    keys += events.codes[piece]
    return keys


def find(events: Events, index: Index, *, longest_frame_ns: int = LONGEST_FRAME_NS) -> Completions:
    """Attribute the events without an id to the completions of their node."""
    of = np.full(len(events), -1, dtype=position_type(len(events)))
    longest = int(Fraction(longest_frame_ns, 1_000_000_000) * events.samplerate_hz)
    for node in range(len(events.node_names)):
        _find_on_node(events, index, of, node=node, longest=longest)
    return Completions(of=of)


def _find_on_node(events: Events, index: Index, of: Kept, *, node: int, longest: int) -> None:
    ends = np.sort(
        np.concatenate([index.of(name, node=node) for name in (RX_END, *TX_ENDS, *OTHER_ENDS)]), kind="stable"
    )
    if not len(ends):
        return
    of[ends] = ends
    sent = np.isin(events.codes[ends], [BY_NAME[name].code for name in TX_ENDS])
    links = {}
    bound = effects = ends
    for name in LINKS:
        candidates = index.of(name, node=node)
        if not len(candidates):
            continue  # this node has no such point: the link before it is searched from the link after it
        found = _only_after_previous(_link(candidates, bound), bound, effects)
        if name == HANDLER:
            found = _still_open(found, ends, index.of("driver.isr.exit", node=node))
        links[name] = bound = found
        effects = candidates
    links[FRAME_TIMESTAMP] = _frame_timestamp(events, index, bound, sent, node=node, longest=longest)
    for name, found in links.items():
        _assign(of, found, ends)
        exits = index.of(name.removesuffix("enter") + "exit", node=node)
        _assign(of, _span_exit(found, index.of(name, node=node), exits), ends)
    previous = np.concatenate([[-1], ends[:-1]])
    handler = links.get(HANDLER, previous)
    opened = handler >= 0 if HANDLER in links else np.ones(len(ends), dtype=bool)
    _assign_inside(of, index, ends, np.where(opened, handler, len(of)), node=node)


def _link(candidates: Positions, bound: Positions) -> Positions:
    """The latest candidate before each bound, -1 if there is none or an earlier completion has it."""
    place = np.searchsorted(candidates, bound) - 1
    place[bound < 0] = -1
    found = np.where(place >= 0, candidates[np.maximum(place, 0)] if len(candidates) else -1, -1)
    return _untaken(found)


def _untaken(found: Positions) -> Positions:
    """Without what an earlier completion found too."""
    kept = found.copy()
    first_use = np.unique(found, return_index=True)[1]
    repeated = np.ones(len(found), dtype=bool)
    repeated[first_use] = False
    kept[repeated] = -1
    return kept


def _still_open(found: Positions, ends: Positions, exits: Positions) -> Positions:
    """Without handlers that had ended before their completion."""
    closed = np.searchsorted(exits, ends) != np.searchsorted(exits, found)
    return np.where((found >= 0) & ~closed, found, -1)


def _only_after_previous(found: Positions, bound: Positions, effects: Positions) -> Positions:
    """Without causes that are older than the effect before theirs: that one took them."""
    place = np.searchsorted(effects, bound) - 1
    previous = np.where(place >= 0, effects[np.maximum(place, 0)] if len(effects) else -1, -1)
    return np.where(found > previous, found, -1)


def _frame_timestamp(
    events: Events, index: Index, irq: Positions, sent: NDArray[np.bool_], *, node: int, longest: int
) -> Positions:
    """The rise of the frame time stamp line that belongs to the frame whose end raised the interrupt line.

    At a sender this is the frame time stamp of the acknowledgement, which comes after its driver.exec.
    """
    found = _link(index.of(FRAME_TIMESTAMP, node=node), irq)
    age = events.samples[np.maximum(irq, 0)] - events.samples[np.maximum(found, 0)]
    found = np.where((found >= 0) & (age <= longest), found, -1)
    commands = index.of("driver.exec.enter", node=node)
    place = np.searchsorted(commands, irq) - 1
    command = np.where(place >= 0, commands[np.maximum(place, 0)] if len(commands) else -1, -1)
    return np.where(sent & (found < command), -1, found)


def _span_exit(found: Positions, enters: Positions, exits: Positions) -> Positions:
    """The exit of each span found: the next one, unless the span is entered again before it."""
    if not len(exits) or not len(enters):
        return np.full(len(found), -1, dtype=np.int64)
    place = np.searchsorted(exits, found)
    following = np.where(place < len(exits), exits[np.minimum(place, len(exits) - 1)], -1)
    again = np.searchsorted(enters, found, side="right")
    next_enter = np.where(again < len(enters), enters[np.minimum(again, len(enters) - 1)], np.iinfo(np.int64).max)
    return np.where((found >= 0) & (following >= 0) & (following < next_enter), following, -1)


def _assign(of: Kept, found: Positions, ends: Positions) -> None:
    good = found >= 0
    of[found[good]] = ends[good]


def _assign_inside(of: Kept, index: Index, ends: Positions, since: Positions, *, node: int) -> None:
    """Give what lies between `since` and a completion, and after the completion before, to that completion."""
    for name in INSIDE:
        positions = index.of(name, node=node)
        place = np.searchsorted(ends, positions)
        before = place < len(ends)
        place = np.minimum(place, len(ends) - 1)
        taken = before & (positions > since[place])
        of[positions[taken]] = ends[place[taken]]
