"""Routes: the packets that went one way through the network, with the steps of each; what all statistics work on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.steps import Steps

ROUND_TRIP = "round trip"


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """Packets with equal paths, in the order of sending: round trips, or one way over one or several hops.

    Parameters
    ----------
    name
        ``round trip``, or the nodes on the way, such as ``initiator > relay > responder``.
    steps
        Of the packets whose every step is known; `steps.rows` are rows of the stage it was made from.
    ids
        int32[k], packet ids.
    starts
        int64[k], sample at which each packet's first step begins, increasing.
    lost
        Packets sent this way that did not arrive.
    partial
        Packets that arrived but lack a milestone, are out of order, or met a gap: not in `steps`.
    places
        int64[k], place of each packet among all that were sent; None where packets of several routes take turns.
    """

    name: str
    steps: Steps
    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    lost: int
    partial: int
    places: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def totals(self) -> NDArray[np.int64]:
        """int64[k], the total delay of each packet in samples: the sum of its steps."""
        total: NDArray[np.int64] = self.steps.samples.sum(axis=1)
        return total

    def select(self, packets: NDArray[np.int64]) -> Route:
        """The same with only some of its packets, int64[r] of the k."""
        steps = replace(self.steps, rows=self.steps.rows[packets], samples=self.steps.samples[packets])
        places = None if self.places is None else self.places[packets]
        return replace(self, steps=steps, ids=self.ids[packets], starts=self.starts[packets], places=places)
