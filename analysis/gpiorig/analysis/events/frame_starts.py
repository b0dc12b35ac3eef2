"""Starts of receptions that a radio's driver reports: of which frame each is, and which interrupt it was."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events

Positions = NDArray[np.int64]

START = "radio.rx_start"


def apart(starts: Positions, turns: Positions, ends: Positions) -> Positions:
    """Starts that were reported in an earlier turn of the driver than the end after them."""
    following = np.searchsorted(ends, starts)
    turns_before = np.append(np.searchsorted(turns, ends), -1)[following]
    earlier: NDArray[np.bool_] = (np.searchsorted(turns, starts) != turns_before) & (len(turns) > 0)
    return starts[earlier]


def taken_late(starts: Positions, rises: Positions, ends: Positions) -> Positions:
    """The start that was reported between a rise of the line and the end of a reception, -1 for none.

    Then the driver came late, and reports both in one turn: the rise was that of the start.
    """
    latest = np.append(starts, -1)[np.searchsorted(starts, ends) - 1]
    return np.where((rises >= 0) & (latest > rises), latest, -1)


def replaced(
    events: Events,
    reported: Positions,
    is_start: NDArray[np.bool_],
    sent: NDArray[np.bool_],
    links: list[Positions],
    commands: Positions,
    *,
    longest: int,
) -> Positions:
    """The completions, in place of each start that of its frame: the next one, unless that is of another frame.

    The acknowledgement of a transmission begins after its command, as in `_frame_timestamp`.
    """
    earliest = reported.copy()
    for positions in links:
        earliest = np.where(positions >= 0, positions, earliest)
    at = np.flatnonzero(is_start[:-1] & ~is_start[1:])
    age = events.samples[earliest[at + 1]] - events.samples[earliest[at]]
    commanded = np.searchsorted(commands, reported[at]) != np.searchsorted(commands, reported[at + 1])
    at = at[(age <= longest) & ~(sent[at + 1] & commanded)]
    completions = reported.copy()
    completions[at] = reported[at + 1]
    return completions
