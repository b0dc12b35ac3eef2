"""Rows of hops: those that packets made, and for those that were not made what is known at the visit they began at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.occurrences import NONE, Positions
from gpiorig.analysis.packets.passages import Passages
from gpiorig.analysis.packets.transmissions import BUSY, NO_ACK, Transmissions
from gpiorig.analysis.packets.visits import Visits, last_transmissions


@dataclass(frozen=True, slots=True, eq=False)
class HopRows:
    """One row per hop; what the columns are is said in `gpiorig.analysis.packets.hops.Hops`."""

    visits_from: NDArray[np.int32]
    visits_to: NDArray[np.int32]
    receivers: NDArray[np.int16]
    sent: NDArray[np.int32]
    read: NDArray[np.int32]
    attempts: NDArray[np.int32]
    frames: NDArray[np.int32]
    no_ack: NDArray[np.int32]
    busy: NDArray[np.int32]
    readings: NDArray[np.int32]
    duplicates: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.visits_from)


class Counts:
    """Transmissions and receptions of every visit."""

    def __init__(self, sent: Transmissions, visits: Visits) -> None:
        rows = np.flatnonzero(visits.of_transmission >= 0)
        of = visits.of_transmission[rows].astype(np.int64)
        frame = np.unique(of * (int(sent.frames.max(initial=0)) + 1) + sent.frames[rows], return_index=True)[1]

        def per_visit(of: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
            return np.bincount(of, minlength=len(visits)).astype(np.int32)

        self.attempts = per_visit(of)
        self.frames = per_visit(of[frame])
        self.no_ack = per_visit(of[sent.outcomes[rows] == NO_ACK])
        self.busy = per_visit(of[sent.outcomes[rows] == BUSY])
        self.readings = per_visit(visits.of_reception)
        self.duplicates = per_visit(visits.of_reception[visits.repeated])


def of_passages(count: Counts, visits: Visits, passages: Passages) -> HopRows:
    """The hops by which packets came to visits, by packet and number."""
    begun = visits.parents[passages.visits]
    return HopRows(
        visits_from=begun,
        visits_to=passages.visits.astype(np.int32),
        receivers=visits.nodes[passages.visits],
        sent=passages.sendings.astype(np.int32),
        read=passages.readings.astype(np.int32),
        attempts=count.attempts[begun],
        frames=count.frames[begun],
        no_ack=count.no_ack[begun],
        busy=count.busy[begun],
        readings=count.readings[passages.visits],
        duplicates=count.duplicates[passages.visits],
    )


def not_made(count: Counts, visits: Visits, begun: Positions) -> HopRows:
    """Hops that were to begin at some visits."""
    none, zero = np.full(len(begun), NONE, dtype=np.int32), np.zeros(len(begun), dtype=np.int32)
    return HopRows(
        visits_from=begun.astype(np.int32),
        visits_to=none,
        receivers=none.astype(np.int16),
        sent=last_transmissions(visits)[begun].astype(np.int32),
        read=none,
        attempts=count.attempts[begun],
        frames=count.frames[begun],
        no_ack=count.no_ack[begun],
        busy=count.busy[begun],
        readings=zero,
        duplicates=zero,
    )
