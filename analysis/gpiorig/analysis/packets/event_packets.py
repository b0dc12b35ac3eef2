"""Packets of events: the row of the packet of each, looked up for a part of them at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.occurrences import NONE


class EventPackets:
    """int32[n], of every event the row of its packet, -1 for none; indexed as an array, without being one in memory.

    Parameters
    ----------
    visit_of
        int32[n], of every event its visit, negative for none.
    packets
        int[v], of every visit the row of its packet.
    """

    def __init__(self, visit_of: NDArray[np.int32], packets: NDArray[np.integer[Any]]) -> None:
        self._visit_of = visit_of
        self._packets = np.append(packets, NONE).astype(np.int32)

    def __len__(self) -> int:
        return len(self._visit_of)

    def __getitem__(self, part: slice | NDArray[np.int64]) -> NDArray[np.int32]:
        """Of some events."""
        packets: NDArray[np.int32] = self._packets[np.maximum(self._visit_of[part], NONE)]
        return packets

    @property
    def highest(self) -> int:
        """The highest row of a packet that a visit is of; -1 without a visit."""
        return int(self._packets.max())
