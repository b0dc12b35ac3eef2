"""Reordering of packets, by RFC 4737 (Morton et al., Packet Reordering Metrics, 2006).

The numbers of its sections are from memory, the text was not at hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.hop_routes import deliveries
from gpiorig.analysis.packets.hops import Hops


@dataclass(frozen=True, slots=True)
class Reordering:
    """Of the packets of one origin that one node got.

    Parameters
    ----------
    origin, destination
        Names of the nodes.
    arrived
        Packets delivered, duplicates not counted.
    reordered
        Those of them that came after a packet that was sent later.
    largest_extent
        How many packets back the earliest such packet came, at most; 0 if none is reordered.
    """

    origin: str
    destination: str
    arrived: int
    reordered: int
    largest_extent: int

    @property
    def ratio(self) -> float:
        """Reordered packets of those that arrived (RFC 4737, 4.1)."""
        return self.reordered / self.arrived if self.arrived else 0.0


def extents(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[k], reordering extent of each packet, 0 for one in order.

    A packet is reordered if its number is below the next expected one, which is one more than the largest so far (3.3).
    Its extent is how many arrivals ago the first packet with a larger number came (4.2).

    Parameters
    ----------
    numbers
        int64[k], of each packet its place in the order of sending, in the order of arrival; no duplicates.
    """
    if (numbers[1:] >= numbers[:-1]).all():
        return np.zeros(len(numbers), dtype=np.int64)
    largest = np.maximum.accumulate(numbers)
    first_larger = np.searchsorted(largest, numbers, side="right")
    extent: NDArray[np.int64] = np.maximum(np.arange(len(numbers)) - first_larger, 0)
    return extent


def find(hops: Hops) -> tuple[Reordering, ...]:
    """Reordering between every two nodes that packets went between."""
    stays, names = hops.visits, hops.events.node_names
    arrived = deliveries(hops)
    arrived = arrived[np.argsort(stays.deliveries[arrived], kind="stable")]
    packets = stays.packets[arrived]  # rows are in the order of sending
    pairs = hops.packets.origins[packets].astype(np.int32) * len(names) + stays.nodes[arrived]
    del arrived
    pairs_reordered = []
    for pair in np.unique(pairs).tolist():
        extent = extents(packets[pairs == pair])
        pairs_reordered.append(
            Reordering(
                origin=names[pair // len(names)],
                destination=names[pair % len(names)],
                arrived=len(extent),
                reordered=int(np.count_nonzero(extent)),
                largest_extent=int(extent.max(initial=0)),
            )
        )
    return tuple(pairs_reordered)
