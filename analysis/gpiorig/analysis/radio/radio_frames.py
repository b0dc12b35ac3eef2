"""Frames that a radio sent or received, and what their bytes say."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

UNKNOWN_RSSI = -32768
FCS_BYTES = 2
MULTIPURPOSE = 5  # IEEE 802.15.4-2015, table 7-1; 6 and 7 have no sequence number with one definition


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RadioFrames:
    """Frames on one radio's SPI bus, in the order of their completion.

    Attributes
    ----------
    samplerate_hz
        Samples per second, exact.
    node, chip
        Node and chip of the radio; "" for an unknown node.
    start, end
        int64, shape (n,): samples at which the transfer with the first byte began, and that with the last one ended.
    sent
        bool, shape (n,): True from the microcontroller to the radio.
    offsets
        int64, shape (n + 1,): frame i is data[offsets[i]:offsets[i + 1]].
    data
        uint8: the PSDUs, each without FCS where `has_fcs` is False.
    has_fcs
        bool, shape (n,).
    crc
        int8, shape (n,): 1 right, 0 wrong, -1 unknown.
    lqi, rssi_dbm
        int16, shape (n,): as the radio gives them with the frame; -1, -32768: it does not.
    sequence
        int16, shape (n,): sequence number of IEEE 802.15.4; -1: the frame has none.
    """

    samplerate_hz: Fraction
    node: str
    chip: str
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    sent: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    data: NDArray[np.uint8]
    has_fcs: NDArray[np.bool_]
    crc: NDArray[np.int8]
    lqi: NDArray[np.int16]
    rssi_dbm: NDArray[np.int16]
    sequence: NDArray[np.int16]

    def __len__(self) -> int:
        return int(self.start.size)

    def frame(self, index: int) -> bytes:
        """Bytes of a frame."""
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes()


def sequence_number(psdu: bytes) -> int:
    """Sequence number of a MAC frame, -1 if it has none (IEEE 802.15.4-2015, 7.2.2 and 7.3.5)."""
    if not psdu or psdu[0] & 7 > MULTIPURPOSE:
        return -1
    if psdu[0] & 7 == MULTIPURPOSE:
        is_long = psdu[0] & 8 != 0
        at = 2 if is_long else 1
        suppressed = is_long and len(psdu) > 1 and psdu[1] & 4 != 0
    else:
        at = 2
        suppressed = len(psdu) > 1 and psdu[1] >> 4 & 3 == 2 and psdu[1] & 1 != 0
    return -1 if suppressed or len(psdu) <= at else psdu[at]
