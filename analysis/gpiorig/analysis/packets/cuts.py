"""Packets that are cut by the end of the recording: it ends before it shows whether they arrive.

A packet that has not arrived is lost if more time is left after its last event than any packet that has arrived took
from such an event to its arrival. With less it is cut. Where none has arrived, nothing states how long one takes, and
all of them are lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import slices
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.packets.occurrences import NONE, Positions
from gpiorig.analysis.packets.visits import Visits

_NEVER = np.iinfo(np.int64).max


def of_packets(
    events: Events, visits: Visits, visit_of: NDArray[np.int32], *, arrived: Positions, final: Positions
) -> NDArray[np.bool_]:
    """bool[p], packets that are cut.

    Parameters
    ----------
    visit_of
        int32[n], the visit of each event, -1 for none.
    arrived
        Rows of the visits at which a packet arrived.
    final
        int64[p], position of the last event of each packet.
    """
    packets = len(visits.kinds)
    place = np.where(visits.deliveries >= 0, visits.deliveries, visits.positions)[arrived]
    arrived_at = _earliest(visits.packets[arrived], events.samples[place], packets)
    open_ended = (arrived_at == _NEVER) & (final != NONE)
    left = np.where(open_ended, events.end - events.samples[final], _NEVER)
    cut = np.zeros(packets, dtype=bool)
    for code in np.unique(events.codes[final[open_ended]]).tolist():
        rows = np.flatnonzero(open_ended & (events.codes[final] == code))
        cut[rows] = left[rows] < _longest(events, visits, visit_of, arrived_at, code=code)
    return cut


def of_milestones(samples: Positions, *, end: int) -> NDArray[np.bool_]:
    """bool[n], rows without the last of their milestones that are cut.

    Parameters
    ----------
    samples
        int64[n, m], instant of each milestone, `NONE` missing; the first one is known.
    end
        One past the last sample of the recording.
    """
    arrived = samples[:, -1] != NONE
    latest = samples.shape[1] - 1 - np.argmax(samples[:, ::-1] != NONE, axis=1)
    cut = np.zeros(len(samples), dtype=bool)
    for column in np.unique(latest[~arrived]).tolist():
        begun = arrived & (samples[:, column] != NONE)
        longest = (samples[begun, -1] - samples[begun, column]).max(initial=0)
        cut |= ~arrived & (latest == column) & (end - samples[:, column] < longest)
    return cut


def _longest(events: Events, visits: Visits, visit_of: NDArray[np.int32], arrived_at: Positions, *, code: int) -> int:
    """Samples from the first event with a code to the arrival of a packet, the most that one took; 0 without any."""
    begun = np.full(len(arrived_at), _NEVER, dtype=np.int64)
    for part in slices(len(visit_of)):
        at = part.start + np.flatnonzero((events.codes[part] == code) & (visit_of[part] >= 0))
        begins = _earliest(visits.packets[visit_of[at]], events.samples[at], len(arrived_at))
        np.minimum(begun, begins, out=begun)
    both = (begun != _NEVER) & (arrived_at != _NEVER)
    return int((arrived_at - begun)[both].max(initial=0))


def _earliest(packets: NDArray[np.int32], samples: Positions, count: int) -> Positions:
    """int64[count], the first sample of each packet, `_NEVER` without one."""
    earliest = np.full(count, _NEVER, dtype=np.int64)
    np.minimum.at(earliest, packets, samples)
    return earliest
