"""Sequence numbers of IEEE 802.15.4 frames: which frame, sent or received, each ``mac.sequence`` speaks of.

The firmware reports the number where it is available, which differs between systems:

- right after the frame was read (RIOT, Contiki-NG): it is that reception's;
- right after the frame was loaded or sent (Contiki-NG): it is that frame's;
- inside a call of the MAC (the reference firmware, RIOT): it is of the packet of that call;
- outside of one, for frames of the MAC's own: it is of the frame that is handed to the radio next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import RX_END
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.ids import code_set
from gpiorig.analysis.events.index import SEQUENCE, Index
from gpiorig.analysis.events.layers import PACKET_LAYERS
from gpiorig.analysis.events.table import BY_NAME, EVENT_TYPES
from gpiorig.analysis.packets.occurrences import NONE, Latest, Positions, owner, values_at

CALL, CALL_END = "mac.tx.enter", "mac.tx.exit"
RX_BEGIN = "driver.rx_read.enter"
TOLD_AFTER = ("driver.load", "driver.tx")
HANDED_DOWN = ("driver.prepare.enter", "driver.load.enter", "driver.tx.enter", "driver.exec.enter")
FIRST_OF_LINES = 128
MAX_BETWEEN = 64  # events of interrupts and kernel between the two that belong together


@dataclass(frozen=True, slots=True, eq=False)
class SequenceNumbers:
    """Every number that was reported.

    Parameters
    ----------
    positions
        int64[s], of the ``mac.sequence`` in the events.
    numbers
        int32[s], 0 to 255.
    readings
        int64[s], position of the end of the reception it is of, -1: of a frame that was sent.
    since
        int64[s], of a sent frame: position from which on the number holds for frames with the packet's id.
    ids
        int32[s], of a sent frame: the packet's id; -1 if the frame is not known.
    """

    positions: Positions
    numbers: NDArray[np.int32]
    readings: Positions
    since: Positions
    ids: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.positions)


def find(events: Events, index: Index) -> SequenceNumbers:
    """Assign every number to its frame."""
    parts = [_on_node(events, index, node) for node in range(len(events.node_names))]
    positions, readings, since, ids = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return SequenceNumbers(
        positions=positions,
        numbers=events.ids[positions] & 0xFF,
        readings=readings,
        since=since,
        ids=ids.astype(np.int32),
    )


def _on_node(events: Events, index: Index, node: int) -> tuple[Positions, Positions, Positions, Positions]:
    at = index.positions(SEQUENCE, node=node)
    readings = np.full(len(at), NONE, dtype=np.int64)
    since, ids = at.copy(), np.full(len(at), NONE, dtype=np.int64)
    before = _before_at_once(events, at, node)
    code = np.where(before >= 0, events.codes[np.maximum(before, 0)], 0)

    received = code == BY_NAME[RX_END].code
    readings[received] = before[received]
    # Where a reading was begun and its end not seen, the number is that frame's, of which nothing more is known.
    free = ~received & (code != BY_NAME[RX_BEGIN].code)
    for point in TOLD_AFTER:
        leaves = code == BY_NAME[f"{point}.exit"].code
        enters = index.positions(f"{point}.enter", node=node)
        began = values_at(enters, np.searchsorted(enters, before) - 1)
        since, ids = np.where(leaves, began, since), np.where(leaves, events.ids[np.maximum(before, 0)], ids)
        free &= ~leaves
    calls, ends = index.positions(CALL, node=node), index.positions(CALL_END, node=node)
    call = values_at(calls, np.searchsorted(calls, at) - 1)
    inside = free & (call >= 0) & (np.searchsorted(ends, call) == np.searchsorted(ends, at))
    ids = np.where(inside, events.ids[np.maximum(call, 0)], ids)
    down = np.sort(np.concatenate([index.positions(name, node=node) for name in HANDED_DOWN]), kind="stable")
    place = np.searchsorted(down, at)
    following = values_at(down, np.where(place < len(down), place, NONE))
    last = free & ~inside & (following >= 0)
    return at, readings, since, np.where(last, events.ids[np.maximum(following, 0)], ids)


def _before_at_once(events: Events, at: Positions, node: int) -> Positions:
    """Position of the node's event before, of the layers that packets pass, -1 if it is not near."""
    passed = code_set(e.code for e in EVENT_TYPES if e.layer in PACKET_LAYERS and e.code < FIRST_OF_LINES)
    positions = np.full(len(at), NONE, dtype=np.int64)
    searched, earlier = np.arange(len(at)), at - 1
    for _ in range(MAX_BETWEEN * len(events.node_names)):
        searched, earlier = searched[earlier >= 0], earlier[earlier >= 0]
        if not len(searched):
            break
        here = (events.nodes[earlier] == node) & passed[events.codes[earlier]]
        positions[searched[here]] = earlier[here]
        searched, earlier = searched[~here], earlier[~here] - 1
    return positions


def latest_sent(
    events: Events,
    index: Index,
    numbered: SequenceNumbers,
    owners: Positions,
    commands: Positions,
    *,
    told_owners: Positions,
) -> Positions:
    """int64[t], row of the number that holds for each command of an owner (node and id), -1 for none.

    One that was reported after a load holds until the next load of a frame with that id, which may have none.
    """
    own = np.flatnonzero((numbered.readings < 0) & (numbered.ids >= 0))
    rows = values_at(own, Latest.of(told_owners[own], numbered.since[own]).before(owners, commands, included=True))
    since = values_at(numbered.since, rows)
    for point in TOLD_AFTER:
        enter = f"{point}.enter"
        loads = np.concatenate([index.positions(enter, node=node) for node in range(len(events.node_names))])
        loaded = Latest.of(owner(events.nodes[loads].astype(np.int64), events.ids[loads]), loads)
        latest = values_at(loads, loaded.before(owners, commands, included=True))
        after_load = values_at(events.codes, since) == BY_NAME[enter].code
        rows = np.where(after_load & (latest > since), NONE, rows)
    return rows
