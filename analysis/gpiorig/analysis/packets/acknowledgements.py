"""Acknowledgements that software sends and reads as frames (Enh-Ack, IEEE 802.15.4-2015), as TSCH does.

They are recognised by what they are: a frame that no layer handed down, with the sequence number of the frame that was
read just before, sent by the node that read it; at the other end a frame with the sequence number of the frame that the
node sent just before. Their last bytes, which the probes take for an id, mean nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import SEQUENCE, Index
from gpiorig.analysis.packets.occurrences import NONE, Latest, Positions, owner, values_at
from gpiorig.analysis.packets.sequence_numbers import SequenceNumbers

# A frame and its acknowledgement are in one slot: 10 ms by IEEE 802.15.4-2015, 15 ms on the TelosB (Contiki-NG 4.4,
# os/net/mac/tsch/tsch-timeslot-timing.c and arch/platform/sky/contiki-conf.h).
SLOT_NS = 15_000_000
# What hands a frame down, or makes one: none does so with an acknowledgement.
HANDED_DOWN = (
    "app.tx.enter",
    "sock.tx.enter",
    "udp.tx.enter",
    "ipv6.tx.enter",
    "sixlowpan.tx.enter",
    "sixlowpan.fragment.enter",
    "mac.tx.enter",
)
# What a driver and the probes report of a frame between its making and the end of the command.
SENT_EVENTS = (
    *(f"driver.{part}.{side}" for part in ("prepare", "load", "exec", "tx") for side in ("enter", "exit")),
    "radio.tx_start",
    SEQUENCE,
)


def acknowledged_readings(
    events: Events,
    index: Index,
    numbered: SequenceNumbers,
    nodes: Positions,
    ids: NDArray[np.int32],
    commands: Positions,
) -> Positions:
    """int64[t], of each transmission that is an acknowledgement the reading of the frame that it is of; -1 for others.

    Parameters
    ----------
    nodes, ids, commands
        Of the transmissions, by node, in time order within a node; -1 for a frame without an id.
    """
    number, since = reported_numbers(events, numbered, nodes, commands)
    read = np.flatnonzero(numbered.readings >= 0)
    reading = values_at(read, _before(events, numbered.positions[read], nodes, since))
    at = values_at(numbered.readings, reading)
    same = (reading >= 0) & (number >= 0) & (values_at(numbered.numbers, reading) == number)
    same &= at > previous(nodes, commands)
    same &= (ids < 0) | (values_at(events.ids, at) != ids)
    same &= events.samples[commands] - events.samples[np.maximum(at, 0)] <= events.samples_in(SLOT_NS)
    for name in HANDED_DOWN:
        for node in range(len(events.node_names)):
            calls = index.positions(name, node=node)
            same &= Latest.of(owner(node, events.ids[calls]), calls).before(owner(nodes, ids), commands) < 0
    return np.where(same, at, NONE)


def read_acknowledgements(
    events: Events, numbered: SequenceNumbers, nodes: Positions, ids: NDArray[np.int32], commands: Positions
) -> tuple[Positions, Positions]:
    """Positions of readings that can be acknowledgements, increasing, and of each the row of its transmission."""
    number, _ = reported_numbers(events, numbered, nodes, commands)
    read = np.flatnonzero(numbered.readings >= 0)
    at = numbered.readings[read]
    row = _before(events, commands, events.nodes[at].astype(np.int64), at, of=nodes)
    same = (row >= 0) & (values_at(number, row) == numbered.numbers[read])
    same &= (events.ids[at] < 0) | (events.ids[at] != values_at(ids, row))
    same &= events.samples[at] - events.samples[np.maximum(values_at(commands, row), 0)] <= events.samples_in(SLOT_NS)
    order = np.argsort(at[same], kind="stable")
    return at[same][order], row[same][order]


def reported_numbers(
    events: Events, numbered: SequenceNumbers, nodes: Positions, commands: Positions
) -> tuple[Positions, Positions]:
    """int64[t] each: the number reported between the command before and each command, and since when; -1 for none.

    By order alone, since an acknowledgement may have no id.
    """
    own = np.flatnonzero(numbered.readings < 0)
    row = values_at(own, _before(events, numbered.since[own], nodes, commands))
    since = values_at(numbered.since, row)
    held = since > previous(nodes, commands)
    return np.where(held, values_at(numbered.numbers, row), NONE), np.where(held, since, NONE)


def sent_events(
    events: Events, index: Index, nodes: Positions, commands: Positions, acknowledges: Positions
) -> tuple[Positions, Positions]:
    """Positions of all events of acknowledgements that were sent, and of each the reading that it acknowledges."""
    every, readings = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for node in np.unique(nodes[acknowledges >= 0]).tolist():
        rows = np.flatnonzero((nodes == node) & (acknowledges >= 0))
        until = commands[rows]
        following = np.append(commands[nodes == node], len(events))
        following = following[np.searchsorted(following, until, side="right")]
        for name in ("driver.exec.exit", "driver.tx.exit"):
            exits = np.append(index.positions(name, node=node), len(events))
            end = exits[np.searchsorted(exits, commands[rows])]
            until = np.where(end < following, np.maximum(until, end), until)
        for name in SENT_EVENTS:
            at = index.positions(name, node=node)
            place = np.searchsorted(acknowledges[rows], at) - 1
            own = (place >= 0) & (at <= until[place])
            every.append(at[own])
            readings.append(acknowledges[rows][place[own]])
    return np.concatenate(every), np.concatenate(readings)


def _before(
    events: Events, candidates: Positions, nodes: Positions, positions: Positions, *, of: Positions | None = None
) -> Positions:
    """int64[q], row of the latest candidate of each node at a position or before it, -1 for none."""
    owners = events.nodes[candidates].astype(np.int64) if of is None else of
    return Latest.of(owners, candidates).before(nodes, positions, included=True)


def previous(nodes: Positions, commands: Positions) -> Positions:
    """int64[t], the command before each command of a node, -1 for none."""
    previous = np.concatenate([[NONE], commands[:-1]])[: len(commands)]
    previous[1:][nodes[1:] != nodes[:-1]] = NONE
    return previous
