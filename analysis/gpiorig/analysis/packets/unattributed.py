"""Events that should belong to a packet and cannot be given to one: counted and listed, never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.frame_starts import START
from gpiorig.analysis.events.ids import belongs_by_order, carries_packet_id, code_set, needs_packet_id
from gpiorig.analysis.events.index import Kept
from gpiorig.analysis.events.table import BY_NAME, EVENT_TYPES
from gpiorig.analysis.packets.overheard import is_assigned

Rows = NDArray[np.int64]

NO_PACKET, NO_COMPLETION, COMPLETION_UNKNOWN, NO_DIRECTION, NO_ID, SEVERAL = range(1, 7)
DROPPED, WRONG_CHECKSUM, NOT_READ = range(7, 10)
REASONS = {
    NO_PACKET: "no packet with this id was under way",
    NO_COMPLETION: "no completion of the radio follows that it can belong to",
    COMPLETION_UNKNOWN: "the completion it belongs to is of no known packet",
    NO_DIRECTION: "neither a send nor a receive call is open",
    NO_ID: "of a frame without an id",
    SEVERAL: "several packets with this id were in hand there",
    DROPPED: "of a frame that the driver dropped",
    WRONG_CHECKSUM: "of a frame with a wrong checksum",
    NOT_READ: "of a frame that was begun and not read, of no known packet",
}
# Frames that are in no packet: what their events are of is known.
OF_FRAMES = (NO_ID, DROPPED, WRONG_CHECKSUM, NOT_READ)

OF_SEVERAL = -2  # in place of a packet's row


@dataclass(frozen=True, slots=True, eq=False)
class Unattributed:
    """Events that should belong to a packet and could not be given to one.

    Parameters
    ----------
    positions
        int64[u], positions in the events.
    reasons
        uint8[u], keys of `REASONS`.
    """

    positions: Rows
    reasons: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.positions)

    def counts(self) -> dict[str, int]:
        """How many for each reason."""
        return {text: n for key, text in REASONS.items() if (n := int(np.count_nonzero(self.reasons == key)))}


def find(
    events: Events,
    packet_of: NDArray[np.int32],
    completion_of: Kept,
    *,
    nodes: Sequence[int],
) -> Unattributed:
    """List what is left of the events of these nodes when `packet_of` has given all others to a packet."""
    both_ways = code_set(e.code for e in EVENT_TYPES if e.direction == "none")
    positions, why = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.uint8)]
    for part in slices(len(events)):
        with_id, by_order = carries_packet_id(events, part), belongs_by_order(events, part)
        bound = (with_id | by_order | needs_packet_id(events, part)) & ~is_assigned(packet_of[part])
        places = np.flatnonzero(bound & np.isin(events.nodes[part], nodes))
        with_id, by_order, completion = with_id[places], by_order[places], completion_of[part][places]
        frame = np.where(completion >= 0, events.codes[np.maximum(completion, 0)], 0)
        reasons = np.select(
            [
                packet_of[part][places] == OF_SEVERAL,
                with_id & both_ways[events.codes[part][places]],
                with_id,
                by_order & (completion < 0),
                frame == BY_NAME["driver.rx_drop"].code,
                frame == BY_NAME["radio.rx_crc_error"].code,
                frame == BY_NAME[START].code,
                by_order & (events.ids[completion] >= 0),
            ],
            [SEVERAL, NO_DIRECTION, NO_PACKET, NO_COMPLETION, DROPPED, WRONG_CHECKSUM, NOT_READ, COMPLETION_UNKNOWN],
            default=NO_ID,
        )
        positions.append(places + part.start)
        why.append(reasons.astype(np.uint8))
    return Unattributed(positions=np.concatenate(positions), reasons=np.concatenate(why))
