"""Radio completions: the interrupts of the receptions and ends of transmission that software then reports.

Up to the end of ``driver.rx_read`` (or a ``radio.tx_*`` event) nothing carries a packet id: the frame timestamp line,
the interrupt line, the interrupt service routine, the driver's handler. They are attributed by order, from the
completion backwards, each link to the latest occurrence that can have caused the next one:

    tap.frame_timestamp > tap.irq > isr.radio > driver.isr > completion

A link is refused, and with it everything before it, when it belongs to an earlier completion or, by the rules below, to
another one. Nothing is guessed.

Some radios interrupt at the start of a frame, too. Where the driver reports that in a turn of its own
(``radio.rx_start``), that interrupt goes with the completion that follows, if no other start lies between and a frame
can take that long. Otherwise the frame came to nothing, and the start takes the place of its completion. Where start
and end are reported in one turn, because the driver came late, the line rose at the start (`frame_starts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events import frame_starts, polled
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.frame_starts import START
from gpiorig.analysis.events.index import Index, Kept, position_type
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.capture import mapped

Positions = NDArray[np.int64]

RX_END = "driver.rx_read.exit"
TX_ENDS = ("radio.tx_complete", "radio.tx_no_ack", "radio.tx_busy")
COMMAND_END = "driver.exec.exit"  # of a command that waits until the frame is out
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
    START,
)
# 127 bytes and the length byte of 32 us each (IEEE 802.15.4-2006, 6.4.1 aMaxPHYPacketSize; 250 kb/s),
# and 0.1 ms for the radio to raise its interrupt line (AT86RF231: 9 us).
LONGEST_FRAME_NS = 128 * 32_000 + 100_000
ACK_WAIT_NS = 54 * 16_000  # macAckWaitDuration: 54 symbols of 16 us (IEEE 802.15.4-2006, table 86, 2450 MHz)


@dataclass(frozen=True, slots=True, eq=False)
class Completions:
    """The completion of every event.

    Parameters
    ----------
    of
        int32[n] (int64 from 2^31 events on), position of the completion, -1 for none; of a reception that was begun and
        came to nothing, that of its start.
    """

    of: Kept


def find(events: Events, index: Index) -> Completions:
    """Attribute the events without an id to the completions of their node."""
    completion_of = mapped.full(len(events), -1, position_type(len(events)))
    longest = int(Fraction(LONGEST_FRAME_NS, 1_000_000_000) * events.samplerate_hz)

    for node in range(len(events.node_names)):
        _find_on_node(events, index, completion_of, node=node, longest=longest)
    return Completions(of=completion_of)


def _find_on_node(events: Events, index: Index, completion_of: Kept, *, node: int, longest: int) -> None:
    ends = np.sort(
        np.concatenate([index.positions(name, node=node) for name in (RX_END, *TX_ENDS, *OTHER_ENDS)]), kind="stable"
    )
    is_polled = not index.occurs(HANDLER, node=node)
    positions_of = partial(index.positions, node=node)
    waits = index.waits(node)
    begun, over = polled.unreported_commands(events, positions_of, ends) if waits else (ends[:0], ends[:0])
    ends = np.sort(np.concatenate([ends, over]), kind="stable")
    turns = next((positions_of(name) for name in LINKS if index.occurs(name, node=node)), ends[:0])
    starts = frame_starts.apart(positions_of(START), turns, ends)
    reported = np.concatenate([ends, starts])
    if not len(reported):
        return
    order = np.argsort(reported, kind="stable")
    reported, is_end = reported[order], order < len(ends)
    if is_polled:
        since = np.full(len(reported), -1, dtype=np.int64)
        since[np.searchsorted(reported, over)] = begun
        links = polled.links(positions_of, reported, since)
    else:
        links = _handled(index, reported, node=node)
    bound = next((links[name] for name in reversed(LINKS) if index.occurs(name, node=node)), reported)
    if is_polled:  # its line may rise at the start of a frame, as the frame timestamp line does
        bound = np.where(bound >= 0, polled.after_this_sample(events, bound), -1)
    until = np.maximum(bound, frame_starts.taken_late(positions_of(START), bound, reported))
    sent = np.isin(events.codes[reported], [BY_NAME[name].code for name in (*TX_ENDS, COMMAND_END)])
    commands = index.positions("driver.exec.enter", node=node)
    completions = frame_starts.replaced(
        events, reported, ~is_end, sent, list(links.values()), commands, longest=longest
    )
    completion_of[reported] = completions
    for name, positions in links.items():
        _assign_span(completion_of, positions, completions, index, name, node=node)
    marks = _frame_timestamp(
        events, index, bound[is_end], sent[is_end], commands, until=until[is_end], node=node, longest=longest
    )
    _assign_span(completion_of, marks, ends, index, FRAME_TIMESTAMP, node=node)
    previous = np.concatenate([[-1], ends[:-1]])
    handler = links[HANDLER][is_end] if HANDLER in links else previous
    opened = handler >= 0 if HANDLER in links else np.ones(len(ends), dtype=bool)
    _assign_inside(completion_of, index, ends, np.where(opened, handler, len(completion_of)), starts, node=node)


def _handled(index: Index, reported: Positions, *, node: int) -> dict[str, Positions]:
    """The links of a node whose driver reports its handler, from each end of a reception or transmission backwards."""
    links: dict[str, Positions] = {}
    bound = effects = reported
    for name in LINKS:
        if not index.occurs(name, node=node):
            continue  # this node has no such point: the link before it is searched from the link after it
        candidates = index.positions(name, node=node)
        positions = _only_after_previous(_link(candidates, bound), bound, effects)
        if name == HANDLER:
            positions = _still_open(positions, reported, index.positions("driver.isr.exit", node=node))
        links[name] = bound = positions
        effects = candidates
    return links


def _link(candidates: Positions, bound: Positions) -> Positions:
    """The latest candidate before each bound, -1 if there is none or it belongs to an earlier completion."""
    place = np.searchsorted(candidates, bound) - 1
    place[bound < 0] = -1
    positions = np.where(place >= 0, candidates[np.maximum(place, 0)] if len(candidates) else -1, -1)
    return _unique(positions)


def _unique(positions: Positions) -> Positions:
    """Positions without those that an earlier completion has too."""
    unique = positions.copy()
    first_use = np.unique(positions, return_index=True)[1]
    repeated = np.ones(len(positions), dtype=bool)
    repeated[first_use] = False
    unique[repeated] = -1
    return unique


def _still_open(positions: Positions, ends: Positions, exits: Positions) -> Positions:
    """Positions without handlers that had ended before their completion."""
    closed = np.searchsorted(exits, ends) != np.searchsorted(exits, positions)
    return np.where((positions >= 0) & ~closed, positions, -1)


def _only_after_previous(positions: Positions, bound: Positions, effects: Positions) -> Positions:
    """Positions without causes that are older than the effect before theirs, to which they belong."""
    place = np.searchsorted(effects, bound) - 1
    previous = np.where(place >= 0, effects[np.maximum(place, 0)] if len(effects) else -1, -1)
    return np.where(positions > previous, positions, -1)


def _frame_timestamp(
    events: Events,
    index: Index,
    irq: Positions,
    sent: NDArray[np.bool_],
    commands: Positions,
    *,
    until: Positions,
    node: int,
    longest: int,
) -> Positions:
    """The rise of the frame timestamp line that belongs to the frame that raised the interrupt line, before `until`.

    At a sender this is the frame timestamp of the acknowledgement, which comes after its driver.exec.
    """
    positions = _link(index.positions(FRAME_TIMESTAMP, node=node), until)
    age = events.samples[np.maximum(irq, 0)] - events.samples[np.maximum(positions, 0)]
    positions = np.where((positions >= 0) & (age <= longest), positions, -1)
    place = np.searchsorted(commands, irq) - 1
    command = np.where(place >= 0, commands[np.maximum(place, 0)] if len(commands) else -1, -1)
    return np.where(sent & (positions < command), -1, positions)


def _span_exit(positions: Positions, enters: Positions, exits: Positions) -> Positions:
    """The exit of each span: the next one, unless the span is entered again before it."""
    if not len(exits) or not len(enters):
        return np.full(len(positions), -1, dtype=np.int64)
    place = np.searchsorted(exits, positions)
    following = np.where(place < len(exits), exits[np.minimum(place, len(exits) - 1)], -1)
    again = np.searchsorted(enters, positions, side="right")
    next_enter = np.where(again < len(enters), enters[np.minimum(again, len(enters) - 1)], np.iinfo(np.int64).max)
    return np.where((positions >= 0) & (following >= 0) & (following < next_enter), following, -1)


def _assign_span(
    completion_of: Kept, positions: Positions, completions: Positions, index: Index, name: str, *, node: int
) -> None:
    """Assign enters of a span and their exits to their completions."""
    exits = index.positions(name.removesuffix("enter") + "exit", node=node)
    for side in (positions, _span_exit(positions, index.positions(name, node=node), exits)):
        good = side >= 0
        completion_of[side[good]] = completions[good]


def _assign_inside(
    completion_of: Kept, index: Index, ends: Positions, since: Positions, starts: Positions, *, node: int
) -> None:
    """Assign events between `since` and a completion, and after the completion before, to that completion."""
    if not len(ends):
        return
    for name in INSIDE:
        positions = np.setdiff1d(index.positions(name, node=node), starts, assume_unique=True)
        place = np.searchsorted(ends, positions)
        before = place < len(ends)
        place = np.minimum(place, len(ends) - 1)
        inside = before & (positions > since[place])
        completion_of[positions[inside]] = ends[place[inside]]
