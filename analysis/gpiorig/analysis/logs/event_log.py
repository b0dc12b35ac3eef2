"""The event log in the firmware's memory: the same events as on the pins, with the node's own timer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ID_FOLLOWS = 0x80
NO_ID = -1
_LINE = re.compile(r"log lost=([0-9a-f]{8})((?: (?:[0-9a-f]{2}[0-7][0-9a-f]{9}|[0-9a-f]{2}[89a-f][0-9a-f]{13}))+)")
_NUMBERS = 1 << 8
_TICKS = 1 << 32


@dataclass(frozen=True, slots=True, eq=False)
class EventLog:
    """Events that one node recorded since its last reset.

    Parameters
    ----------
    numbers
        int64[k], increasing: number of the event, from 0 at the first one recorded; where it jumps, records are
        missing. The node counts modulo 256, so a gap of 256 or more is too short here.
    codes
        uint8[k], event code, 1 to 127.
    ids
        int32[k], 16-bit id, or -1 for an event without.
    ticks
        int64[k], the node's timer, unwrapped from its 32 bits.
    lost
        Events that did not fit in the node's memory, by the node's own count.
    """

    numbers: NDArray[np.int64]
    codes: NDArray[np.uint8]
    ids: NDArray[np.int32]
    ticks: NDArray[np.int64]
    lost: int

    def __len__(self) -> int:
        """Number of records."""
        return len(self.codes)

    @property
    def missing(self) -> int:
        """Missing records between the first and the last one: more than `lost` if lines were lost too."""
        return int(self.numbers[-1] - self.numbers[0]) + 1 - len(self) if len(self) else 0


def is_log_line(line: str) -> bool:
    """Whether a line of a console is one of the event log (gpiorig_log_line() of the probe library)."""
    return _LINE.fullmatch(line) is not None


def parse(lines: Iterable[str]) -> EventLog:
    """Read the lines of one node since its reset, all of which `is_log_line` accepts."""
    lost = 0
    records: list[str] = []
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"not a line of an event log: {line!r}")
        lost = int(match[1], 16)
        records += match[2].split()
    numbers = np.array([int(record[:2], 16) for record in records], dtype=np.int64)
    headers = np.array([int(record[2:4], 16) for record in records], dtype=np.int64)
    ids = [int(record[4:8], 16) if len(record) == len("nnhhiiiitttttttt") else NO_ID for record in records]
    ticks = np.array([int(record[-8:], 16) for record in records], dtype=np.int64)
    return EventLog(
        numbers=_unwrapped(numbers, _NUMBERS, least=1),
        codes=(headers % ID_FOLLOWS).astype(np.uint8),
        ids=np.array(ids, dtype=np.int32),
        ticks=_unwrapped(ticks, _TICKS, least=0),
        lost=lost,
    )


def _unwrapped(values: NDArray[np.int64], modulus: int, *, least: int) -> NDArray[np.int64]:
    """Values that never step by less than `least`, from their remainders."""
    steps = (np.diff(values) - least) % modulus + least
    return np.concatenate((values[:1], values[:1] + np.cumsum(steps)))
